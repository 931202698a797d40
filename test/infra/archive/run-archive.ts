/** Runs the archive command as a person would: a process of its own, with the words and variables given and no others. */
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after } from 'node:test';
import { fileURLToPath } from 'node:url';

export interface Run {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

const main = fileURLToPath(new URL('../../../infra/archive/main.ts', import.meta.url));

/** What is compiled once need not be again: most of a run's time is its start. All that `npm test` starts share a folder. */
const own = process.env.NODE_COMPILE_CACHE ? undefined : mkdtempSync(join(tmpdir(), 'compiled-'));
const compiled = own ?? process.env.NODE_COMPILE_CACHE;
after(() => own && rmSync(own, { recursive: true, force: true }));

/** Everything that any run has said, for tests that look for secrets in it. */
export const said: string[] = [];

export const runArchive = (words: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<Run> =>
  new Promise((done, fail) => {
    const child = spawn(process.execPath, [main, ...words], {
      env: { PATH: process.env.PATH, HOME: '/nowhere', NODE_COMPILE_CACHE: compiled, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const [out, err]: [Buffer[], Buffer[]] = [[], []];
    child.stdout.on('data', (part: Buffer) => out.push(part));
    child.stderr.on('data', (part: Buffer) => err.push(part));
    child.once('error', fail);
    child.once('close', (code) => {
      const run = { code, out: Buffer.concat(out).toString(), err: Buffer.concat(err).toString() };
      if (words[0] !== 'key') said.push(run.out, run.err);
      done(run);
    });
  });

export const lines = (text: string): readonly string[] => text.split('\n').filter((line) => line !== '');
