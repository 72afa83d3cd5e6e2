/** What each of these applications does: loads the model and leaves `complete` for the test. */
import { createCompleter } from 'midline';

const completer = await createCompleter({ model: '/models/midline-boot-q4_0.gguf' });
globalThis.complete = (prefix, suffix, options) => completer.complete(prefix, suffix, options);
