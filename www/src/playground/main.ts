/**
 * The playground. It uses the package as anybody would: `createCompleter` for
 * the model, an adapter for each editor; the rest is a page around them.
 */
import { createCompleter, type Completer, type CompleterOptions } from 'midline';
import type { MidlineEvent } from 'midline/monaco';
import { acceptDrops } from './drops.js';
import { Editors } from './editors.js';
import { OpenedFiles } from './files.js';
import { loadManifest, modelUrl, type Manifest } from './models.js';
import { SAMPLES } from './samples/index.js';
import { StatusLine } from './status.js';

const OPEN_FILE = '…open';
/** Greedy decoding is faster, but a small model's second thought is often the better one. */
const BEAM_WIDTH = 4;
/** Time to read that the model is ready before the first suggestion takes the line. */
const READING_MS = 800;

const element = <T extends HTMLElement>(id: string): T => document.getElementById(id) as T;
const editorPicker = element<HTMLSelectElement>('kind');
const languagePicker = element<HTMLSelectElement>('language');
const modelPicker = element<HTMLSelectElement>('model');
const filePicker = element<HTMLInputElement>('file');
const host = element('editor');
const status = new StatusLine(element('status'));
const files = new OpenedFiles(modelPicker);

/** Everything that is replaced together when another model is chosen. */
interface Loaded {
  readonly completer: Completer;
  readonly value: string;
  readonly model: CompleterOptions['model'];
}
let loaded: Loaded | undefined;
/** What the picker shows: the model that is loading, or else the one that works. */
let chosen = '';
/** Counts loads, so that only the one chosen last takes effect. */
let latestLoad = 0;

for (const { id, label } of SAMPLES) languagePicker.add(new Option(label, id));
const editors = new Editors(host);
const editorReady = editors.choose(editorPicker.value, languagePicker.value);

/** Loads a model; the one before keeps working until this one is ready, and also if it fails. Gives whether it loaded. */
async function useModel(
  value: string,
  name: string,
  model: CompleterOptions['model'],
  preferredFormat?: CompleterOptions['preferredFormat'],
): Promise<boolean> {
  const load = ++latestLoad;
  const isLatest = (): boolean => load === latestLoad;
  status.loading(name);
  choose(value);
  let completer: Completer | undefined;
  try {
    completer = await createCompleter({
      model,
      onProgress: (progress) => {
        if (isLatest()) status.loading(name, progress);
      },
      ...(preferredFormat && { preferredFormat }),
      ...forcedVariant(),
    });
    await editorReady;
    if (!isLatest()) {
      completer.dispose();
      return true;
    }
    editors.use(completer, { beamWidth: BEAM_WIDTH, onEvent });
    loaded?.completer.dispose();
    loaded = { completer, value, model };
    status.ready(name, completer.info);
    editors.current?.focus();
    setTimeout(() => {
      if (status.state === 'ready') editors.current?.suggest();
    }, READING_MS);
    return true;
  } catch (error) {
    completer?.dispose();
    if (!isLatest()) return false;
    status.error(error);
    choose(loaded?.value ?? '');
    return false;
  }
}

function choose(value: string): void {
  chosen = value;
  modelPicker.value = value;
}

function onEvent(event: MidlineEvent): void {
  switch (event.type) {
    case 'thinking':
      return status.thinking();
    case 'suggested':
      return status.suggestion(event.result);
    case 'nothing':
      return status.nothing(event.reason, event.result);
    case 'cancelled':
      return status.idle();
    case 'failed':
      return status.error(event.error);
  }
}

/** `?variant=simd128` runs the plain build, to compare. */
function forcedVariant(): Pick<CompleterOptions, 'variant'> {
  const variant = new URLSearchParams(location.search).get('variant');
  return variant === 'simd128' || variant === 'relaxed' ? { variant } : {};
}

function fillPickers(manifest: Manifest): void {
  // Shown while no model works, never to be chosen.
  const none = new Option('No model', '');
  none.disabled = none.hidden = true;
  modelPicker.add(none);
  for (const { id, name, bytes, present } of manifest.models) {
    const label = present
      ? `${name} (${(bytes / 1e6).toFixed(0)} MB)`
      : `${name}: not downloaded, run models/fetch`;
    const option = new Option(label, id);
    option.disabled = !present;
    modelPicker.add(option);
  }
  modelPicker.add(new Option('Open a GGUF file…', OPEN_FILE));
}

/** Loads a file and keeps it in the picker if it is a model. */
async function openFile(file: File): Promise<void> {
  const value = files.add(file);
  if (await useModel(value, file.name, file)) return;
  // Another file of that name may be the model that works.
  files.restore(value, file, loaded?.value === value ? (loaded.model as File) : undefined);
  choose(chosen);
}

function listen(manifest: Manifest): void {
  modelPicker.addEventListener('change', () => {
    const { value } = modelPicker;
    const entry = manifest.models.find((model) => model.id === value);
    if (entry) return void useModel(entry.id, entry.name, modelUrl(entry), entry.preferredFormat);
    const file = files.get(value);
    if (file) return void openFile(file);
    choose(chosen);
    if (value === OPEN_FILE) filePicker.click();
  });
  filePicker.addEventListener('change', () => {
    const [file] = filePicker.files ?? [];
    if (file) void openFile(file);
    filePicker.value = ''; // the same file may be chosen again
  });
  acceptDrops(host, (file) => void openFile(file));
}

function showLanguage(): void {
  const { current } = editors;
  current?.show(languagePicker.value);
  current?.focus();
  current?.suggest();
}

function showEditor(): void {
  editors.choose(editorPicker.value, languagePicker.value).then(
    (current) => {
      current.focus();
      current.suggest();
    },
    (error: unknown) => status.error(error),
  );
}

languagePicker.addEventListener('change', showLanguage);
editorPicker.addEventListener('change', showEditor);
editorReady.catch((error: unknown) => status.error(error));
const manifest = await loadManifest().catch((error: unknown): Manifest => {
  status.error(`The list of models could not be read: ${String(error)}`);
  return { default: '', models: [] };
});
fillPickers(manifest);
listen(manifest);
const first = manifest.models.find((model) => model.id === manifest.default && model.present);
if (first) {
  await useModel(first.id, first.name, modelUrl(first), first.preferredFormat);
} else if (manifest.models.length > 0) {
  status.error('The default model is not there: run models/fetch, or open a GGUF file');
  choose('');
}
