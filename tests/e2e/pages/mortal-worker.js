/** The package's worker, which a test can end from inside: as an application that makes its own worker would wrap it. */
import '../dist/client/worker.js';

addEventListener('message', ({ data }) => {
  if (data.type === 'close') close();
  if (data.type === 'throw') throw new Error('thrown by the test');
});
