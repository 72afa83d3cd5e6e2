/** Imports that the bundler resolves. */
declare module '*?raw' {
  const text: string;
  export default text;
}

declare module '*?worker' {
  const WorkerConstructor: new () => Worker;
  export default WorkerConstructor;
}
