/** Writes a result to a JSON file and its sections to README.md. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
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
  `${machine.loadAverage1Min} before, ${machine.loadAverageAtEnd} after; ${versions.chromium}, wllama ${versions.wllama}, ` +
  `engine ${versions.midline}; ${models.small}, ${models.model}. \`results/${file}\`: \`${command}\`.`;

const resultFile = (folder, { date, machine }, label) =>
  join(folder, 'results', `${date}-${label ?? `${machine.cores}-core-${machine.os.split(' ')[1]}`}.json`);

/** What the result file of this day and label holds of a part, or undefined. */
export function recorded(folder, result, label, part) {
  const file = resultFile(folder, result, label);
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')).parts[part]?.result : undefined;
}

/**
 * Writes the parts that ran to `results/<date>-<label>.json`, each with its own run, and leaves the others that are there.
 * In README.md a part that is measured again replaces its section, between `<!-- name -->` and `<!-- /name -->`.
 */
export function record(folder, result, sections, label) {
  mkdirSync(join(folder, 'results'), { recursive: true });
  const file = resultFile(folder, result, label);
  const { parts, ...run } = result;
  const before = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')).parts : {};
  const measured = Object.entries(parts).map(([part, its]) => [part, { run, result: its }]);
  writeFileSync(file, `${JSON.stringify({ parts: { ...before, ...Object.fromEntries(measured) } }, null, 1)}\n`);
  const readme = join(folder, 'README.md');
  let text = readFileSync(readme, 'utf8');
  for (const [part, markdown] of Object.entries(sections)) {
    const [open, close] = [`<!-- ${part} -->`, `<!-- /${part} -->`];
    const [from, to] = [text.indexOf(open), text.indexOf(close)];
    if (from < 0 || to < from) throw new Error(`${readme} lacks the section ${open}`);
    const source = origin(result, file.split('/').at(-1));
    text = `${text.slice(0, from + open.length)}\n\n${markdown}\n\n${source}\n\n${text.slice(to)}`;
  }
  writeFileSync(readme, text);
}
