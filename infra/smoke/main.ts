/** `npm run smoke -- <url>`: walks the main journey against a deployed API. It needs Node and nothing else. */
import { run } from './run-smoke-test.ts';

const stopping = new AbortController();
// What was made is removed all the same; a second signal ends it at once.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stopping.abort());

process.exitCode = await run({
  words: process.argv.slice(2),
  env: process.env,
  say: (line) => console.log(line),
  isInteractive: process.stdout.isTTY === true,
  signal: stopping.signal,
});
