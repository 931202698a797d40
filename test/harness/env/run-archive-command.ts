/** Runs the archive command in its own process with only the given arguments and variables. */
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, stop } from 'esbuild';
import { buildCached } from '../../../infra/bundle/build-cached.ts';
import { precomputeModules } from '../../../infra/bundle/precompute-modules.ts';

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
  from: [
    'infra/{archive,mount}/**/*.*',
    'infra/local/engines/firestore/**/*.ts',
    'infra/bundle/precompute-modules.ts',
    'shared/**/*.*',
  ],
  make: async (dir) => {
    await build({
      stdin: {
        contents:
          "import { runArchive } from './run-archive.ts'; import { mountBackups } from '../mount/mount-backups.ts'; process.exitCode = await runArchive(process.argv.slice(2), { mountBackups });",
        resolveDir: fileURLToPath(new URL('../../../infra/archive', import.meta.url)),
      },
      outfile: join(dir, 'main.mjs'),
      bundle: true,
      format: 'esm',
      platform: 'node',
      target: 'node24',
      logLevel: 'error',
      plugins: [precomputeModules],
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

/** A backup that is served until `end`, and the address that the command prints. */
export const openArchive = async (args: readonly string[], env: Readonly<Record<string, string>> = {}) => {
  const { main, compiled } = await program;
  const child = spawn(process.execPath, [main, 'open', ...args, '--port', '0'], {
    env: { PATH: process.env.PATH, HOME: '/nowhere', NODE_COMPILE_CACHE: compiled, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
  let [out, err] = ['', ''];
  child.stderr.on('data', (part: Buffer) => {
    err += part.toString();
  });
  await new Promise<void>((resolve) => {
    child.stdout.on('data', (part: Buffer) => {
      out += part.toString();
      if (out.endsWith('\n')) resolve();
    });
    ended.then(() => resolve());
  });
  outputs.push(out, err);
  const end = async (signal: NodeJS.Signals = 'SIGINT'): Promise<{ readonly code: number | null; readonly err: string }> => {
    child.kill(signal);
    return { code: await ended, err };
  };
  return { out, pid: child.pid, end };
};

export const lines = (text: string): readonly string[] => text.split('\n').filter((line) => line !== '');
