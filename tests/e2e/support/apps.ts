/**
 * The package as its users get it: packed, and installed by npm into fresh copies of the applications under apps/.
 * Their tools (bundlers, TypeScript, the editors' types) lie in apps/node_modules, installed once by `make setup`.
 */
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { startServer } from '../../../www/scripts/serve.mjs';
import { repository, type Site } from './sites.js';

const apps = `${repository}tests/e2e/apps`;
/** Where the fresh copies are made; git ignores it. */
export const fresh = `${apps}/fresh`;
/** The installed package. */
export const installed = `${fresh}/node_modules/midline`;

const npmOptions = ['--offline', '--ignore-scripts', '--no-package-lock', '--no-audit', '--no-fund'];

/** Runs a program in `directory`; its output is in the error when it fails. */
function run(directory: string, program: string, args: string[]): string {
  try {
    return execFileSync(program, args, { cwd: directory, encoding: 'utf8', stdio: 'pipe', timeout: 120_000 });
  } catch (error) {
    const { stdout, stderr } = error as { stdout?: string; stderr?: string };
    throw new Error(`${program} ${args.join(' ')}\n${stdout ?? ''}\n${stderr ?? ''}`, { cause: error });
  }
}

/** Packs the built package, installs it, and copies the applications beside it. Gives the size of the tarball. */
export function installFresh(): { readonly packedBytes: number } {
  if (!existsSync(`${apps}/node_modules/.installed`)) {
    throw new Error('tests/e2e/apps/node_modules is missing: run "make setup" first');
  }
  rmSync(fresh, { recursive: true, force: true });
  mkdirSync(fresh);
  const packed = run(`${repository}www`, 'npm', ['pack', '--json', '--pack-destination', fresh]);
  const [{ filename, size }] = JSON.parse(packed) as [{ filename: string; size: number }];
  writeFileSync(`${fresh}/package.json`, '{ "private": true, "type": "module" }');
  run(fresh, 'npm', ['install', ...npmOptions, `./${filename}`]);
  for (const entry of readdirSync(apps, { withFileTypes: true })) {
    const { name } = entry;
    if (entry.isDirectory() && name !== 'node_modules' && name !== 'fresh') {
      cpSync(`${apps}/${name}`, `${fresh}/${name}`, { recursive: true });
    }
  }
  return { packedBytes: size };
}

/** Runs a tool of apps/node_modules in one of the fresh applications. */
export function tool(app: string, name: string, ...args: string[]): string {
  return run(`${fresh}/${app}`, `${apps}/node_modules/.bin/${name}`, args);
}

/** Runs a module of an application by Node. */
export function script(app: string, file: string): string {
  return run(`${fresh}/${app}`, process.execPath, [file]);
}

/** Serves one folder of the fresh installation at `/`, and the models. */
export function appSite(folder: string, headers: Record<string, string> = {}): Promise<Site> {
  return startServer({
    headers,
    mounts: [
      { at: '/models/', directory: `${repository}models` },
      { at: '/node_modules/', directory: `${fresh}/node_modules` },
      { at: '/', directory: `${fresh}/${folder}` },
    ],
  });
}
