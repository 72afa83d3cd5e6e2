/** The native build of the same engine, as the reference: its command line answers in the fields of the API. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { CompletionRequest } from '../../www/src/client/protocol.js';
import type { CompletionResult } from '../../www/src/client/types.js';

export const repository = fileURLToPath(new URL('../..', import.meta.url));
export const modelFile = join(repository, 'models/midline-boot-q4_0.gguf');

/** The newest build there is; `MIDLINE_CLI` names another. */
function executable(): string {
  const { MIDLINE_CLI, CARGO_TARGET_DIR } = process.env;
  if (MIDLINE_CLI) return MIDLINE_CLI;
  const target = CARGO_TARGET_DIR ?? join(repository, 'target');
  const builds = ['release', 'debug'].map((profile) => join(target, profile, 'midline')).filter(existsSync);
  builds.sort((a, b) => statSync(b).mtimeMs - statSync(a).mtimeMs);
  if (builds[0]) return builds[0];
  throw new Error('The native command line is not built: run "cargo build --release" first');
}

/** Runs `use` with files that hold the given texts. */
function withFiles<T>(texts: string[], use: (files: string[]) => T): T {
  const directory = mkdtempSync(join(tmpdir(), 'midline-'));
  try {
    const files = texts.map((_, i) => join(directory, `${i}.txt`));
    texts.forEach((text, i) => writeFileSync(files[i] as string, text));
    return use(files);
  } finally {
    rmSync(directory, { recursive: true });
  }
}

function json(args: string[]): unknown {
  return JSON.parse(execFileSync(executable(), args, { encoding: 'utf8', maxBuffer: 1 << 26 }));
}

export function completeNatively(request: CompletionRequest): CompletionResult {
  const { prefix, suffix, format = 'auto', maxNewTokens } = request;
  return withFiles([prefix, suffix], ([prefixFile, suffixFile]) =>
    json([
      ...['complete', '--json', '--model', modelFile],
      ...['--prefix-file', prefixFile as string, '--suffix-file', suffixFile as string],
      ...['--format', format, ...(maxNewTokens ? ['--max-new-tokens', String(maxNewTokens)] : [])],
    ]),
  ) as CompletionResult;
}
