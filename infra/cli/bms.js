#!/usr/bin/env node
/** Starts the command under a Node that runs TypeScript: this one, or the Node 24 that `npm ci` installs on Linux. */
import { spawn } from 'node:child_process';
import { accessSync } from 'node:fs';
import * as modules from 'node:module';
import { fileURLToPath } from 'node:url';

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);

/** Undefined where the package is not installed. */
const installedNode = () => {
  const path = fileURLToPath(new URL(`../../node_modules/node-linux-${process.arch}/bin/node`, import.meta.url));
  try {
    accessSync(path);
    return path;
  } catch {
    return undefined;
  }
};

const runHere = () => {
  modules.enableCompileCache?.();
  return import('./main.ts');
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

const node = major >= 24 ? undefined : installedNode();
if (node) runWith(node);
else if (major > 22 || (major === 22 && minor >= 18)) await runHere();
else {
  process.stderr.write(`bms: requires Node 22.18 or later; this is ${process.version}\n`);
  process.exitCode = 2;
}
