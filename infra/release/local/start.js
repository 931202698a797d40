#!/usr/bin/env node
/** Functions are bundled for the Node of Lambda. */
const required = 24;

if (Number(process.versions.node.split('.')[0]) >= required) await import('./main.mjs');
else {
  process.stderr.write(
    `local: requires Node ${required} or later; this is ${process.version}. The Dockerfile of the release has one\n`,
  );
  process.exitCode = 1;
}
