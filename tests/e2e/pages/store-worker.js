/** The store in a worker, which a test kills. */
import { openModelStore } from '../dist/store/index.js';

const store = await openModelStore();
onmessage = async ({ data }) => {
  await store.get(data).catch(() => undefined);
  postMessage('done');
};
postMessage('ready');
