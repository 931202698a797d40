/** Runs the archive command in its own process with only the given arguments and variables. */
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, stop } from 'esbuild';
import { buildCached } from '../../../infra/bundle/build-cached.ts';

export interface Run {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

/**
 * Starting from one bundled file takes a third of the time. The build is cached and shared by all test processes. The test that
 * kills an export covers the command itself.
 */
const program = buildCached({
  kind: 'archive',
  from: ['infra/archive/**/*.*', 'shared/**/*.*'],
  make: async (dir) => {
    await build({
      stdin: {
        contents: "import { runArchive } from './run-archive.ts'; process.exitCode = await runArchive(process.argv.slice(2));",
        resolveDir: fileURLToPath(new URL('../../../infra/archive', import.meta.url)),
      },
      outfile: join(dir, 'main.mjs'),
      bundle: true,
      format: 'esm',
      platform: 'node',
      target: 'node24',
      logLevel: 'error',
      // CommonJS modules load Node built-ins with require.
      banner: { js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);" },
    });
    await stop();
  },
}).then((dir) => ({ main: join(dir, 'main.mjs'), compiled: join(dir, 'compiled') }));

/** The output of all runs, for tests that search it for secrets. */
export const outputs: string[] = [];

export const runArchive = async (args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<Run> => {
  const { main, compiled } = await program;
  return new Promise((done, fail) => {
    const child = spawn(process.execPath, [main, ...args], {
      env: { PATH: process.env.PATH, HOME: '/nowhere', NODE_COMPILE_CACHE: compiled, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const [out, err]: [Buffer[], Buffer[]] = [[], []];
    child.stdout.on('data', (part: Buffer) => out.push(part));
    child.stderr.on('data', (part: Buffer) => err.push(part));
    child.once('error', fail);
    child.once('close', (code) => {
      const run = { code, out: Buffer.concat(out).toString(), err: Buffer.concat(err).toString() };
      if (args[0] !== 'key') outputs.push(run.out, run.err);
      done(run);
    });
  });
};

export const lines = (text: string): readonly string[] => text.split('\n').filter((line) => line !== '');
