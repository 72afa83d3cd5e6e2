/**
 * What an editor tells a session and what the session wants done: plain values,
 * so that the same script can be run against the machine alone and against both
 * editors. Offsets are UTF-16 units of the editor's own document, line ends as it
 * counts them.
 */

/** Replaces `from`..`to` with `insert`. */
export interface Edit {
  readonly from: number;
  readonly to: number;
  readonly insert: string;
}

/** Where the user is. Two places are the same if version and caret are. */
export interface Place {
  /** Changes with every change of the document. */
  readonly version: number;
  readonly caret: number;
  /** Whether there is one caret, nothing selected, and the document can be written to. */
  readonly open: boolean;
  /** Whether the caret is directly before a letter, a digit or `_`: nothing is suggested there unasked. */
  readonly beforeWord: boolean;
}

/** Who made an edit: only what the user types or deletes, and an accept, asks for a suggestion. */
export type Cause = 'typed' | 'deleted' | 'accepted' | 'other';

/** How much of a suggestion is accepted. */
export type Amount = 'all' | 'word' | 'line';

export type Event =
  /** The document changed: the edits in order, each in the coordinates that the one before it left. */
  | { readonly type: 'edited'; readonly edits: readonly Edit[]; readonly cause: Cause; readonly place: Place }
  /** The caret or the selection moved without an edit. */
  | { readonly type: 'moved'; readonly place: Place }
  /** Another document took the place of this one. */
  | { readonly type: 'replaced'; readonly place: Place }
  /** The editor asks what there is to show, after an edit that it reported as `other`. */
  | { readonly type: 'asked'; readonly place: Place; readonly occasion: 'typing' | 'accept' }
  /** The editor does not want the answer any more that it asked for. */
  | { readonly type: 'withdrawn' }
  /** The user asked for suggestions. */
  | { readonly type: 'triggered'; readonly place: Place }
  /** The user wants the suggestion, or some of it. The edit itself comes back as `edited`. */
  | { readonly type: 'accepted'; readonly amount: Amount }
  | { readonly type: 'dismissed' }
  /** 1 for the next suggestion, -1 for the one before. */
  | { readonly type: 'cycled'; readonly by: 1 | -1 }
  /** A completion popup of the editor opened or closed; suggestions give way to it. */
  | { readonly type: 'popup'; readonly open: boolean }
  /** An input method began or ended to compose. */
  | { readonly type: 'composition'; readonly active: boolean; readonly place: Place }
  /** The editor lost the focus. */
  | { readonly type: 'blurred' }
  /** The answer to the request `id`: the texts to insert, best first; none if there is nothing. */
  | {
      readonly type: 'answered';
      readonly id: number;
      readonly place: Place;
      readonly texts: readonly string[];
    }
  | { readonly type: 'failed'; readonly id: number }
  | { readonly type: 'disposed' };

/** Why a request is made; it decides how long to wait and how many suggestions to ask for. */
export type Occasion =
  /** After a key: when typing pauses. */
  | 'typing'
  /** After an accept: at once, before the user goes on. */
  | 'accept'
  /** By command: at once, and several. */
  | 'command';

/** Suggested text at one place of the document. */
export interface Ghost {
  /** Offset in the document. */
  readonly at: number;
  readonly text: string;
}

/** What is to be seen. */
export interface View {
  /** The suggestion: at the caret, and behind closing brackets that the editor inserted and the suggestion contains. */
  readonly ghosts: readonly Ghost[];
  /** The whole of what is suggested from the caret on. */
  readonly text: string;
  /** Which of `count` suggestions it is, from 0. */
  readonly index: number;
  readonly count: number;
}

export type Effect =
  | { readonly type: 'request'; readonly id: number; readonly place: Place; readonly occasion: Occasion }
  | { readonly type: 'cancel'; readonly id: number }
  /** There is something new to show; what is seen is always `view(state)`. */
  | { readonly type: 'show'; readonly view: View }
  | { readonly type: 'hide' }
  /** Insert accepted text, in one undo step, and put the caret behind it. */
  | { readonly type: 'insert'; readonly edit: Edit; readonly caret: number }
  /** Tell a screen reader; `soon` if the user waits for it, else when typing pauses. */
  | { readonly type: 'announce'; readonly view: View; readonly soon: boolean }
  /** The user does not want this suggestion: it must not come back from the cache. */
  | { readonly type: 'forget'; readonly place: Place; readonly text: string };
