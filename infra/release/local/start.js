#!/usr/bin/env node
/** Starts the stage under the Node of Lambda, for which its functions are bundled: this one, or that which npm installs on Linux. */
import { spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';

const required = 24;

/** Undefined where the package is not installed. */
const installedNode = () => {
  try {
    return createRequire(import.meta.url).resolve(`node-linux-${process.arch}/bin/node`);
  } catch {
    return undefined;
  }
};

const runWith = (node) => {
  const child = spawn(node, [fileURLToPath(import.meta.url), ...process.argv.slice(2)], { stdio: 'inherit' });
  // A terminal sends its signals to both processes: the child decides how to end.
  process.on('SIGINT', () => {});
  for (const signal of ['SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  child.once('exit', (code, signal) => {
    if (signal) process.kill(process.pid, signal);
    process.exitCode = code ?? 1;
  });
};

const isRecent = Number(process.versions.node.split('.')[0]) >= required;
const node = isRecent ? undefined : installedNode();
if (isRecent) await import('./main.mjs');
else if (node) runWith(node);
else {
  process.stderr.write(
    `bms-local: requires Node ${required} or later; this is ${process.version}. The Dockerfile of the release has one\n`,
  );
  process.exitCode = 1;
}
