/** What both editors share: suggestions as a state machine, its runner, the options. Knows no editor. */
export type * from './events.js';
export { choices, initial, phase, step, view, type Phase, type State, type Step } from './machine.js';
export { invalid, settingsFrom, type EditorOptions, type MidlineEvent, type Settings } from './options.js';
export { tailPlaces } from './region.js';
export { readingStart, showable, startsWithWord } from './rules.js';
export { Runner, type Clock, type Host, type Reading } from './runner.js';
export { Session, type SessionHost } from './session.js';
