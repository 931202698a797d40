/** Runs the archive command as a person would: a process of its own, with the words and variables given and no others. */
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, stop } from 'esbuild';
import { buildCached } from '../../../infra/local/boot/build-cached.ts';

export interface Run {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

/**
 * Most of a run's time is its start, which takes a third from one file: the program as it is, with all it imports. All that `npm test`
 * starts find it, and what of it is compiled. That main.ts itself starts is seen where an export is stopped.
 */
const program = buildCached({
  kind: 'archive',
  from: ['infra/archive/**/*.*', 'shared/**/*.*'],
  make: async (dir) => {
    await build({
      entryPoints: [fileURLToPath(new URL('../../../infra/archive/main.ts', import.meta.url))],
      outfile: join(dir, 'main.mjs'),
      ...{ bundle: true, format: 'esm', platform: 'node', target: 'node24', logLevel: 'error' },
      // What is CommonJS asks for Node's own modules by a call.
      banner: { js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);" },
    });
    await stop();
  },
}).then((dir) => ({ main: join(dir, 'main.mjs'), compiled: join(dir, 'compiled') }));

/** Everything that any run has said, for tests that look for secrets in it. */
export const said: string[] = [];

export const runArchive = async (words: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<Run> => {
  const { main, compiled } = await program;
  return new Promise((done, fail) => {
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
};

export const lines = (text: string): readonly string[] => text.split('\n').filter((line) => line !== '');
