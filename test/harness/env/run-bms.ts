/** Runs the command bms in its own process, with a config folder of its own. */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { builtCliPath } from '../../../infra/bundle/build-cli.ts';

export interface BmsRun {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

export interface BmsOptions {
  readonly env?: Readonly<Record<string, string>> | undefined;
  readonly input?: string | undefined;
  /** Called with the process as soon as it runs. */
  readonly onStart?: ((child: ChildProcess) => void) | undefined;
}

/**
 * The one file that a deployment serves. It starts with half of the CPU time of infra/cli/main.ts, which
 * test/journey/api/documentation.test.ts covers.
 */
export const bmsMain = await builtCliPath();

/** Arguments of Node before the file: a short process mostly allocates, so it collects less often. */
export const bmsNodeArgs = ['--min-semi-space-size=16'] as const;

/** Runs of one user share what they store. */
export const openBms = (env: Readonly<Record<string, string>>) => {
  const base = {
    PATH: process.env.PATH ?? '',
    LANG: 'C.UTF-8',
    XDG_CONFIG_HOME: mkdtempSync(join(tmpdir(), 'bms-')),
    XDG_CACHE_HOME: mkdtempSync(join(tmpdir(), 'bms-cache-')),
    NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE ?? '',
    ...env,
  };
  const run = (args: readonly string[], { env: more, input, onStart }: BmsOptions = {}): Promise<BmsRun> =>
    new Promise((done, fail) => {
      const child = spawn(process.execPath, [...bmsNodeArgs, bmsMain, ...args], {
        env: { ...base, ...more },
        stdio: ['pipe', 'pipe', 'pipe'],
      });
      const [out, err]: [Buffer[], Buffer[]] = [[], []];
      child.stdout.on('data', (part: Buffer) => out.push(part));
      child.stderr.on('data', (part: Buffer) => err.push(part));
      child.once('error', fail);
      child.once('close', (code) => done({ code, out: Buffer.concat(out).toString(), err: Buffer.concat(err).toString() }));
      child.stdin.on('error', () => {});
      child.stdin.end(input ?? '');
      onStart?.(child);
    });
  /** The result as JSON; the command must succeed. */
  const json = async <T>(...args: readonly string[]): Promise<T> => {
    const { code, out, err } = await run([...args, '--json']);
    if (code !== 0) throw new Error(`bms ${args.join(' ')} ended with ${code}: ${err}`);
    return JSON.parse(out) as T;
  };
  return { run, json, env: base };
};
export type Bms = ReturnType<typeof openBms>;
