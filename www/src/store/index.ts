/**
 * `midline/store`: models that stay on the device. A download goes on where it was interrupted, is verified while it
 * arrives, mends itself where the disk damaged it, and is shared by all tabs.
 */
import { checkStoreOptions } from './options.js';
import { Store } from './store.js';
import type { ModelStore, ModelStoreOptions } from './types.js';

export type * from './types.js';

/** Opens the store. Always gives one: where the browser keeps nothing, it is in memory, and `storageReason` says why. */
export async function openModelStore(options: ModelStoreOptions = {}): Promise<ModelStore> {
  checkStoreOptions(options);
  return Store.open(options);
}
