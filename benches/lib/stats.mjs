/** Medians and spread of repeated measurements. */

export function median(values) {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

const round = (x) => Number(x.toPrecision(4));

/** Rates in tokens per second from runs of `{ promptTokens, prefillMs, newTokens, decodeMs }`. */
export function summarise(runs) {
  const rates = (tokens, ms) => runs.filter((r) => r[ms] > 0).map((r) => (1000 * r[tokens]) / r[ms]);
  const spread = (values) =>
    values.length === 0
      ? null
      : { median: round(median(values)), min: round(Math.min(...values)), max: round(Math.max(...values)), n: values.length };
  return {
    promptTokensPerS: spread(rates('promptTokens', 'prefillMs')),
    newTokensPerS: spread(rates('newTokens', 'decodeMs')),
  };
}
