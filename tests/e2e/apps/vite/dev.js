/** The development server, which serves modules instead of a bundle. Prints its address and runs until it is ended. */
import { createServer } from 'vite';

const server = await createServer({
  server: { host: '127.0.0.1', port: 0, fs: { strict: false }, proxy: { '/models': process.argv[2] } },
  logLevel: 'error',
});
await server.listen();
console.log(server.resolvedUrls.local[0]);
