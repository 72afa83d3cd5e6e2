/** A helper thread of the bench's own worker: waits in the engine's module for work, for ever. */
const STACK_BYTES = 262_144;

onmessage = async ({ data: { variant, module, memory } }) => {
  const { initSync, help } = await import(`/midline-wasm/${variant}/midline.js`);
  initSync({ module, memory, thread_stack_size: STACK_BYTES });
  help();
};
