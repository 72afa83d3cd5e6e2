/** Turns a result into a JSON file and a Markdown table. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import { join } from 'node:path';

const MARKS = ['<!-- table: written by run.mjs -->', '<!-- end of table -->'];

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

const cell = (s) => (s ? `${s.median.toFixed(1)} (${s.min.toFixed(1)}-${s.max.toFixed(1)})` : '-');

function ratio(row, peer, key) {
  return row[key] && peer?.[key] && row !== peer ? `${(row[key].median / peer[key].median).toFixed(2)}x` : '';
}

export function renderTable(result) {
  const peer = result.rows.find((r) => r.name === 'wllama');
  const lines = [
    `${result.date}, ${result.machine.cpu}, ${result.machine.cores} cores (${result.machine.simd.join(' ')}), ` +
      `load average ${result.machine.loadAverage1Min}; ${result.versions.chromium}, wllama ${result.versions.wllama}; ` +
      `${result.model.file}, prompt of ${result.model.promptTokens} tokens, ${result.model.newTokens} new tokens, one thread; ` +
      `median (min-max) of ${Math.max(...result.rows.map((r) => r.runs.length))} interleaved repetitions.`,
    '',
    '| contender | prompt tok/s | x wllama | generation tok/s | x wllama |',
    '|---|---|---|---|---|',
  ];
  for (const row of result.rows) {
    const cells = row.failed
      ? [`not run: ${row.failed.replaceAll('|', '/')}`, '', '', '']
      : ['promptTokensPerS', 'newTokensPerS'].flatMap((key) => [cell(row[key]), ratio(row, peer, key)]);
    lines.push(`| ${row.name} | ${cells.join(' | ')} |`);
  }
  return lines.join('\n');
}

export function record(folder, result, label) {
  mkdirSync(join(folder, 'results'), { recursive: true });
  const name = label ?? `${result.machine.cores}-core-${result.machine.os.split(' ')[1]}`;
  const file = join(folder, 'results', `${result.date}-${name}.json`);
  writeFileSync(file, `${JSON.stringify(result, null, 1)}\n`);
  const readme = join(folder, 'README.md');
  const text = readFileSync(readme, 'utf8');
  const [from, to] = [text.indexOf(MARKS[0]), text.indexOf(MARKS[1])];
  if (from < 0 || to < from) throw new Error(`${readme} lacks the table markers`);
  const table = `${MARKS[0]}\n\n${renderTable(result)}\n\nFrom \`results/${file.split('/').at(-1)}\`: \`${result.command}\`.\n\n`;
  writeFileSync(readme, text.slice(0, from) + table + text.slice(to));
}
