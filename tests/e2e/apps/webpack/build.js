/** webpack by its programming interface; without its command line there is one package less to install. */
import webpack from 'webpack';

/** webpack needs no setting for Midline. */
const config = { mode: 'production', entry: './main.js', performance: { hints: false } };

webpack(config, (error, stats) => {
  if (!error && !stats?.hasErrors() && !stats?.hasWarnings()) return;
  console.error(error ?? stats?.toString('errors-warnings'));
  process.exitCode = 1;
});
