/**
 * The session of one Monaco model. Monaco keeps ghost text and its keys itself and
 * asks for what to show; it is answered from the session, which follows the
 * document through the model's own events.
 */
import type * as Monaco from 'monaco-editor';
import { choices, Session, type Edit, type Effect, type Place, type Settings } from '../editor/index.js';
import { continues, insertion, placeAt, readingAt, type Insertion, type Lead } from './document.js';
import type { MonacoApi } from './index.js';

/** Edits kept until Monaco asks the next time; with more the suggestion is given up. */
const MAX_EDITS = 1000;

/** A question of Monaco. */
export interface Question {
  readonly position: Monaco.IPosition;
  /** The user asked, for several. */
  readonly explicit: boolean;
  /** The item selected in the suggest widget. */
  readonly lead: Lead | undefined;
  readonly token: Monaco.CancellationToken;
}

export interface ModelSessionOwner {
  /** There is something to show that Monaco has not asked for. */
  unasked(): void;
  /** The model is gone, and the session with it. */
  closed(): void;
}

interface Pending {
  readonly session: Session;
  readonly explicit: boolean;
  readonly subscription: Monaco.IDisposable;
  resolve(items: Insertion[]): void;
}

export class ModelSession {
  readonly #plain: Session;
  /** The session while the suggest widget has an item selected: it completes a document that is not there yet. */
  readonly #led: Session;
  readonly #subscriptions: Monaco.IDisposable[];
  /** Edits that the session does not know of yet: it needs the caret for them, which only a question has. */
  #edits: Edit[] = [];
  #inserted: { readonly from: number; readonly end: number; readonly version: number } | undefined;
  #position: Monaco.IPosition = { lineNumber: 1, column: 1 };
  #lead: Lead | undefined;
  /** Counts documents of the led session: they differ in version or item. */
  #leads = 0;
  #leadVersion = 0;
  #asking = false;
  #questions = 0;
  #unprompted = false;
  #pending: Pending | undefined;

  constructor(
    private readonly monaco: MonacoApi,
    readonly model: Monaco.editor.ITextModel,
    settings: Settings,
    private readonly owner: ModelSessionOwner,
  ) {
    this.#plain = this.#session(settings, () => undefined);
    this.#led = this.#session(settings, () => this.#lead);
    this.#subscriptions = [
      model.onDidChangeContent(({ changes, isFlush, isEolChange }) => {
        if (isFlush || isEolChange) return this.#replaced();
        for (const { rangeOffset, rangeLength, text } of changes)
          this.#edits.push({ from: rangeOffset, to: rangeOffset + rangeLength, insert: text });
        this.#inserted = this.#acceptedPart(changes);
        if (this.#edits.length > MAX_EDITS) this.#replaced();
      }),
      model.onDidChangeLanguage(() => this.#replaced()),
      model.onWillDispose(() => {
        this.dispose();
        owner.closed();
      }),
    ];
  }

  /** What Monaco is to show; nothing if it changes its mind before that is known. */
  ask({ lead, token, ...question }: Question): Promise<Insertion[]> {
    this.#settle([]);
    const position = this.#behindAccepted(question.position);
    this.#questions++;
    const explicit = question.explicit && !this.#unprompted;
    this.#unprompted = false;
    if (lead && !continues(this.model, lead)) return Promise.resolve([]);
    const session = lead ? this.#led : this.#plain;
    this.#asking = true;
    try {
      const occasion = this.#flush(position) ? 'accept' : 'typing';
      (lead ? this.#plain : this.#led).dispatch({ type: 'withdrawn' });
      const place = lead ? this.#placeLed(lead, position) : placeAt(this.model, position);
      if (explicit) session.dispatch({ type: 'triggered', place });
      else session.dispatch({ type: 'asked', place, occasion });
    } finally {
      this.#asking = false;
    }
    if (!session.state.waiting) return Promise.resolve(this.#items(session, explicit));
    return new Promise((resolve) => {
      const subscription = token.onCancellationRequested(() => {
        if (this.#pending?.subscription !== subscription) return;
        this.#settle([]);
        session.dispatch({ type: 'withdrawn' });
      });
      this.#pending = { session, explicit, subscription, resolve };
    });
  }

  /** Where a part of a suggestion ends that was accepted just now and that Monaco miscounts, an offset in the document. */
  get accepted(): number | undefined {
    return this.#inserted?.version === this.model.getVersionId() ? this.#inserted.end : undefined;
  }

  /** How many times Monaco has asked. */
  get questions(): number {
    return this.#questions;
  }

  /** Whether the document and the caret are those that Monaco asked about last. */
  isAt(position: Monaco.IPosition): boolean {
    const { lineNumber, column } = this.#position;
    return this.#edits.length === 0 && position.lineNumber === lineNumber && position.column === column;
  }

  /** The next question is Monaco's own, although it will say that the user asked. */
  unprompted(): void {
    this.#unprompted = true;
  }

  /** The user said no to what is shown. */
  dismiss(): void {
    this.#plain.dispatch({ type: 'dismissed' });
    this.#led.dispatch({ type: 'dismissed' });
  }

  /** An input method began or ended to compose, with the caret at `position`. */
  compose(active: boolean, position: Monaco.IPosition): void {
    this.#flush(position);
    this.#led.dispatch({ type: 'composition', active, place: this.#led.state.place });
    this.#plain.dispatch({ type: 'composition', active, place: placeAt(this.model, position) });
  }

  dispose(): void {
    for (const subscription of this.#subscriptions) subscription.dispose();
    this.#settle([]);
    this.#plain.dispose();
    this.#led.dispose();
  }

  #session(settings: Settings, lead: () => Lead | undefined): Session {
    const { monaco, model } = this;
    const nowhere: Place = { version: 0, caret: 0, open: true, beforeWord: false };
    const session: Session = new Session(nowhere, settings, {
      read: () => (model.isDisposed() ? undefined : readingAt(monaco, model, this.#position, lead())),
      announce: () => undefined, // Monaco does
      changed: (effects) => this.#changed(session, effects),
    });
    return session;
  }

  #changed(session: Session, effects: readonly Effect[]): void {
    if (this.#asking || session.state.waiting) return;
    const { explicit, session: asked } = this.#pending ?? {};
    if (asked === session) this.#settle(this.#items(session, explicit === true));
    else if (effects.some(({ type }) => type === 'show')) this.owner.unasked();
  }

  #settle(items: Insertion[]): void {
    const pending = this.#pending;
    this.#pending = undefined;
    pending?.subscription.dispose();
    pending?.resolve(items);
  }

  #items(session: Session, explicit: boolean): Insertion[] {
    const offered = choices(session.state);
    if (!offered || this.model.isDisposed()) return [];
    const lead = session === this.#led ? this.#lead : undefined;
    return offered.texts
      .slice(0, explicit ? undefined : 1)
      .map((text) =>
        lead ? { insertText: lead.text + text, range: lead.range } : insertion(this.model, offered, text),
      )
      .filter((item) => item !== undefined);
  }

  /** Tells the session of the edits, now that the caret is known. Gives whether they accepted what was shown. */
  #flush(position: Monaco.IPosition): boolean {
    this.#position = position;
    if (this.#edits.length === 0) return false;
    const edits = this.#edits;
    this.#edits = [];
    const accepted = this.#plain.view !== undefined && edits.at(-1)?.insert.endsWith(this.#plain.view.text);
    const place = placeAt(this.model, position);
    this.#plain.dispatch({ type: 'edited', edits, cause: 'other', place });
    return accepted === true && !this.#plain.view;
  }

  /** Of accepted text with characters of two units Monaco takes the end too early, and asks from there first. */
  #behindAccepted(position: Monaco.IPosition): Monaco.IPosition {
    const { accepted } = this;
    if (accepted === undefined) return position;
    const caret = this.model.getOffsetAt(position);
    const isShort = caret >= (this.#inserted?.from ?? accepted) && caret < accepted;
    return isShort ? this.model.getPositionAt(accepted) : position;
  }

  #acceptedPart([change, ...others]: readonly Monaco.editor.IModelContentChange[]) {
    if (!change || others.length > 0 || change.rangeLength > 0) return undefined;
    const { rangeOffset: from, text } = change;
    if ([...text].length === text.length || !this.#plain.view?.text.startsWith(this.#typedSince()))
      return undefined;
    return { from, end: from + text.length, version: this.model.getVersionId() };
  }

  /** What was inserted piece by piece since the session was told: Monaco may not ask after every part that is accepted. */
  #typedSince(): string {
    const isNext = ({ from, to }: Edit, index: number): boolean => {
      const before = this.#edits[index - 1];
      return from === to && (!before || from === before.from + before.insert.length);
    };
    return this.#edits.every(isNext) ? this.#edits.map(({ insert }) => insert).join('') : '\0';
  }

  #placeLed(lead: Lead, position: Monaco.IPosition): Place {
    const version = this.model.getVersionId();
    if (lead.text !== this.#lead?.text || version !== this.#leadVersion) this.#leads++;
    this.#lead = lead;
    this.#leadVersion = version;
    return { ...placeAt(this.model, position), version: this.#leads };
  }

  #replaced(): void {
    this.#edits = [];
    const { place } = this.#plain.state;
    this.#plain.dispatch({ type: 'replaced', place: { ...place, version: this.model.getVersionId() } });
    this.#led.dispatch({ type: 'replaced', place: { ...place, version: ++this.#leads } });
  }
}
