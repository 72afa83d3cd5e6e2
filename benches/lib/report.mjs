/** Writes a result to a JSON file and its sections to README.md. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import { join } from 'node:path';

export function describeMachine() {
  const flags = (() => {
    try {
      return /^flags\s*:(.*)$/m.exec(readFileSync('/proc/cpuinfo', 'utf8'))[1].split(' ');
    } catch {
      return [];
    }
  })();
  return {
    cpu: os.cpus()[0]?.model.trim(),
    cores: os.cpus().length,
    simd: ['avx2', 'avx512f', 'avx512_vnni', 'avx_vnni'].filter((f) => flags.includes(f)),
    memoryGib: Math.round(os.totalmem() / 2 ** 30),
    os: `${os.type()} ${os.arch()}`,
    // Other work beside the measurement: read the spread, and compare rows of one run only.
    loadAverage1Min: Number(os.loadavg()[0].toFixed(2)),
  };
}

/** A Markdown table: a head, and rows of cells. */
export function table(head, rows) {
  const print = (cells) => `| ${cells.map((cell) => String(cell ?? '').replaceAll('|', '/')).join(' | ')} |`;
  return [print(head), `|${'---|'.repeat(head.length)}`, ...rows.map(print)].join('\n');
}

const origin = ({ date, machine, versions, models, command }, file) =>
  `${date}, ${machine.cpu}, ${machine.cores} cores (${machine.simd.join(' ')}), load average ` +
  `${machine.loadAverage1Min} before, ${machine.loadAverageAtEnd} after; ${versions.chromium}, wllama ${versions.wllama}; ` +
  `${models.small}, ${models.model}. \`results/${file}\`: \`${command}\`.`;

/**
 * Writes `results/<date>-<label>.json`; a part that is measured again replaces its section of README.md, between
 * `<!-- name -->` and `<!-- /name -->`, and leaves the others.
 */
export function record(folder, result, sections, label) {
  mkdirSync(join(folder, 'results'), { recursive: true });
  const name = label ?? `${result.machine.cores}-core-${result.machine.os.split(' ')[1]}`;
  const file = `${result.date}-${name}.json`;
  writeFileSync(join(folder, 'results', file), `${JSON.stringify(result, null, 1)}\n`);
  const readme = join(folder, 'README.md');
  let text = readFileSync(readme, 'utf8');
  for (const [part, markdown] of Object.entries(sections)) {
    const [open, close] = [`<!-- ${part} -->`, `<!-- /${part} -->`];
    const [from, to] = [text.indexOf(open), text.indexOf(close)];
    if (from < 0 || to < from) throw new Error(`${readme} lacks the section ${open}`);
    text = `${text.slice(0, from + open.length)}\n\n${markdown}\n\n${origin(result, file)}\n\n${text.slice(to)}`;
  }
  writeFileSync(readme, text);
}
