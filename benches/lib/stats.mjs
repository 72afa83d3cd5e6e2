/** Medians, quantiles and spread of repeated measurements. */

export function median(values) {
  return quantile(values, 0.5);
}

/** The quantile `q` (0 to 1) by linear interpolation between the sorted values; NaN of nothing. */
export function quantile(values, q) {
  const sorted = [...values].sort((a, b) => a - b);
  const at = (sorted.length - 1) * q;
  const [low, high] = [sorted[Math.floor(at)], sorted[Math.ceil(at)]];
  return low === undefined ? Number.NaN : low + (high - low) * (at - Math.floor(at));
}

/** Four significant digits: more would pretend. */
export const round = (x) => Number(x.toPrecision(4));

/** `{ median, min, max, n }`, or null of nothing. */
export function spread(values) {
  const known = values.filter(Number.isFinite);
  if (known.length === 0) return null;
  return { median: round(median(known)), min: round(Math.min(...known)), max: round(Math.max(...known)), n: known.length };
}

/** `{ p50, p95, p99, max, n }` of latencies in milliseconds, or null of nothing. */
export function latencies(values) {
  if (values.length === 0) return null;
  const [p50, p95, p99] = [0.5, 0.95, 0.99].map((q) => round(quantile(values, q)));
  return { p50, p95, p99, max: round(Math.max(...values)), n: values.length };
}

/** Slope and intercept of the straight line with the least squared error. */
export function line(points) {
  const mean = (pick) => points.reduce((sum, point) => sum + pick(point), 0) / points.length;
  const [x, y] = [mean((p) => p[0]), mean((p) => p[1])];
  const slope = mean((p) => (p[0] - x) * (p[1] - y)) / mean((p) => (p[0] - x) ** 2);
  return { slope, intercept: y - slope * x };
}

/** Mulberry32: uniform numbers in [0, 1) from a seed, so that a run can be repeated. */
export function random(seed) {
  return () => {
    seed = (seed + 0x6d2b79f5) | 0;
    let t = Math.imul(seed ^ (seed >>> 15), 1 | seed);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}
