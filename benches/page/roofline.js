/** The kernels at given sizes, from the build with the test runner: milliseconds of one run, the fastest of several samples. */
let module;

export async function load(variant) {
  module = await import(`/midline-wasm/conformance/${variant}/midline.js`);
  await module.default({ module_or_path: fetch(`/midline-wasm/conformance/${variant}/midline_bg.wasm`) });
}

/** `works`: [what, rows, cols, tokens] each. Samples are interleaved; each lasts about `sampleMs`. */
export async function time(variant, works, samples, sampleMs) {
  const all = works.map(([what, ...sizes]) => {
    const work = new module.KernelWork(variant, what, ...sizes);
    let times = 1;
    const sample = () => {
      const start = performance.now();
      work.run(times);
      return (performance.now() - start) / times;
    };
    sample(); // compiled as a draft
    for (let took = sample(); took * times < sampleMs; took = sample()) times = Math.ceil((1.2 * sampleMs) / Math.max(took, sampleMs / times / 8));
    return { operations: work.operations(), bytes: work.bytes(), sample, ms: [], free: () => work.free() };
  });
  for (let i = 0; i < samples; i++) {
    for (const work of all) work.ms.push(work.sample());
    await new Promise((resolve) => setTimeout(resolve));
  }
  for (const work of all) work.free();
  return all.map(({ operations, bytes, ms }) => ({ operations, bytes, ms }));
}
