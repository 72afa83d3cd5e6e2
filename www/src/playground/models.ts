/** The models of the page, from `models/manifest.json` beside it. */

export interface ModelEntry {
  readonly id: string;
  readonly name: string;
  /** File name inside `models/`. */
  readonly file: string;
  readonly bytes: number;
  readonly preferredFormat?: 'prefix' | 'psm' | 'spm';
  /** Whether the server has the file: large ones are fetched by hand. */
  readonly present: boolean;
}

export interface Manifest {
  /** Id of the model to start with. */
  readonly default: string;
  readonly models: readonly ModelEntry[];
}

const MODELS_URL = new URL('models/', document.baseURI);

export function modelUrl(entry: ModelEntry): URL {
  return new URL(entry.file, MODELS_URL);
}

/** Reads the manifest and asks the server which of its files are there. */
export async function loadManifest(): Promise<Manifest> {
  const url = new URL('manifest.json', MODELS_URL);
  const response = await fetch(url);
  if (!response.ok) throw new Error(`${url.pathname}: status ${response.status}`);
  const manifest = (await response.json()) as Manifest;
  const models = await Promise.all(
    manifest.models.map(async (entry) => ({ ...entry, present: await isThere(modelUrl(entry)) })),
  );
  return { ...manifest, models };
}

/** A server with a catch-all route answers any address with its page; that is not a model. */
async function isThere(url: URL): Promise<boolean> {
  const response = await fetch(url, { method: 'HEAD' }).catch(() => undefined);
  return !!response?.ok && !response.headers.get('content-type')?.startsWith('text/html');
}
