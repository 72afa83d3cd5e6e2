/**
 * Carries out what the session wants: waits, asks, announces. Nothing is done inside
 * an update of the editor, where dispatching is forbidden, but in the microtask after
 * it, before the browser paints.
 */
import { language } from '@codemirror/language';
import type { EditorState } from '@codemirror/state';
import { EditorView, ViewPlugin, type PluginValue, type ViewUpdate } from '@codemirror/view';
import { MAX_SUFFIX_CHARS } from '../client/window.js';
import {
  readingStart,
  Runner,
  view,
  type Effect,
  type Event,
  type Place,
  type Reading,
  type View,
} from '../editor/index.js';
import { midlineConfig, type Config } from './config.js';
import { sessionEvent, sessionField } from './field.js';

/** The editor takes a moment to let a composition end. */
const COMPOSITION_END_MS = 60;

class SessionPlugin implements PluginValue {
  #config: Config | undefined;
  #runner: Runner | undefined;
  #alive = true;
  /** When the suggestion on display came, in the time of `performance.now`; typing along leaves it. */
  #shownAt = -Infinity;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(private readonly editor: EditorView) {
    this.#configure(editor.state.facet(midlineConfig));
  }

  /** Whether what is shown has been there long enough to be seen. */
  get ripe(): boolean {
    return performance.now() - this.#shownAt >= (this.#config?.acceptDelayMs ?? 0);
  }

  update(update: ViewUpdate): void {
    const { state, startState, transactions } = update;
    const config = state.facet(midlineConfig);
    const reconfigured = config !== this.#config;
    if (reconfigured) this.#configure(config);
    const wasShown = view(startState.field(sessionField).machine) !== undefined;
    const isShown = view(state.field(sessionField).machine) !== undefined;
    if (isShown && !wasShown) this.#shownAt = performance.now();
    const effects = transactions.flatMap(
      (transaction) => transaction.state.field(sessionField, false)?.effects ?? [],
    );
    const blurred = update.focusChanged && !this.editor.hasFocus;
    this.#soon(() => {
      if (reconfigured) this.#deliver({ type: 'replaced', place: this.#place });
      this.#perform(effects);
      if (blurred) this.#deliver({ type: 'blurred' });
      this.composition();
    });
  }

  /** Takes over whether an input method composes; may be called in any event. */
  composition(): void {
    this.#soon(() => {
      const active = this.editor.compositionStarted;
      const { machine } = this.editor.state.field(sessionField);
      if (active !== machine.composing) this.#deliver({ type: 'composition', active, place: this.#place });
    });
  }

  compositionEnds(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.composition(), COMPOSITION_END_MS);
  }

  destroy(): void {
    this.#alive = false;
    clearTimeout(this.#timer);
    this.#runner?.dispose();
  }

  get #place(): Place {
    return this.editor.state.field(sessionField).machine.place;
  }

  #configure(config: Config | undefined): void {
    this.#runner?.dispose();
    this.#config = config;
    this.#runner = config && new Runner(config.settings, this.#host(config));
  }

  #perform(effects: readonly Effect[]): void {
    if (effects.length > 0) this.#runner?.perform(effects);
  }

  #host(config: Config) {
    return {
      read: (place: Place) => this.#read(place, config),
      deliver: (event: Event) => this.#deliver(event),
      announce: (shown: View) => this.#announce(shown),
    };
  }

  #soon(action: () => void): void {
    queueMicrotask(() => {
      if (this.#alive) action();
    });
  }

  /** Only from outside of updates. */
  #deliver(event: Event): void {
    if (this.#alive) this.editor.dispatch({ effects: sessionEvent.of(event) });
  }

  #announce({ text, index, count }: View): void {
    if (!this.#alive) return;
    const { state } = this.editor;
    const said =
      count > 1
        ? state.phrase('Suggestion $1 of $2: $3', index + 1, count, text)
        : state.phrase('Suggestion: $1', text);
    this.editor.dispatch({ effects: EditorView.announce.of(said) });
  }

  #read({ version, caret }: Place, { path, languageId }: Config): Reading | undefined {
    const { state } = this.editor;
    if (version !== this.#place.version || caret !== state.selection.main.head) return undefined;
    const { doc } = state;
    const own = { path: asked(path, state), languageId: asked(languageId, state) ?? languageOf(state) };
    return {
      prefix: doc.sliceString(readingStart(caret), caret),
      suffix: doc.sliceString(caret, caret + 2 * MAX_SUFFIX_CHARS),
      ...(own.path !== undefined && { path: own.path }),
      ...(own.languageId !== undefined && { languageId: own.languageId }),
      midLine: caret < doc.lineAt(caret).to,
      eol: '\n',
    };
  }
}

function asked(option: Config['path'], state: EditorState): string | undefined {
  return typeof option === 'function' ? option(state) : option;
}

function languageOf(state: EditorState): string | undefined {
  return state.facet(language)?.name || undefined;
}

export const sessionPlugin = ViewPlugin.fromClass(SessionPlugin, {
  eventObservers: {
    compositionstart() {
      this.composition();
    },
    compositionend() {
      this.compositionEnds();
    },
  },
});
