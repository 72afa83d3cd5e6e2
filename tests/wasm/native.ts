/** The native build of the same engine, as the reference: its command line answers in the fields of the API. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { CompletionRequest } from '../../www/src/client/protocol.js';
import type { CompletionResult } from '../../www/src/client/types.js';

export const repository = fileURLToPath(new URL('../..', import.meta.url));
/** The models of the repository: the one in git, and the one that `models/fetch` obtains. */
export const BOOT = 'midline-boot-q4_0.gguf';
export const SMOLLM2 = 'SmolLM2-135M-Instruct.Q4_1.gguf';

/** The path of a model; throws when it was not fetched. */
export function modelFile(name: string): string {
  const file = join(repository, 'models', name);
  if (!existsSync(file)) throw new Error(`${file} is missing: run models/fetch`);
  return file;
}

/** The newest build there is; `MIDLINE_CLI` names another. */
function executable(): string {
  const { MIDLINE_CLI, CARGO_TARGET_DIR } = process.env;
  if (MIDLINE_CLI) return MIDLINE_CLI;
  const target = CARGO_TARGET_DIR ?? join(repository, 'target');
  const builds = ['release', 'debug'].map((profile) => join(target, profile, 'midline')).filter(existsSync);
  builds.sort((a, b) => statSync(b).mtimeMs - statSync(a).mtimeMs);
  if (builds[0]) return builds[0];
  throw new Error('The native command line is not built: run "cargo build" first');
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

/** What the native build answers, in a new process. Its kernels are the machine's best; all give the same bits. */
export function completeNatively(request: CompletionRequest, model = BOOT): CompletionResult {
  const { prefix, suffix, format = 'auto', maxNewTokens, path, beamWidth, maxSuggestions } = request;
  const option = (name: string, value: string | number | undefined): string[] =>
    value === undefined ? [] : [name, String(value)];
  return withFiles([prefix, suffix], ([prefixFile, suffixFile]) =>
    json([
      ...['complete', '--json', '--model', modelFile(model)],
      ...['--prefix-file', prefixFile as string, '--suffix-file', suffixFile as string],
      ...['--format', format, ...option('--max-new-tokens', maxNewTokens), ...option('--path', path)],
      ...[...option('--beam', beamWidth), ...option('--suggestions', maxSuggestions)],
    ]),
  ) as CompletionResult;
}
