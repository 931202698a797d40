/** `npm run smoke -- <url>`: smoke test of a deployed API. Needs only Node. */
import { runSmokeTest } from './run-smoke-test.ts';

const stopping = new AbortController();
// The first signal stops the test and cleans up; a second one ends the process.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stopping.abort());

process.exitCode = await runSmokeTest({
  words: process.argv.slice(2),
  env: process.env,
  say: (line) => console.log(line),
  isInteractive: process.stdout.isTTY === true,
  signal: stopping.signal,
});
