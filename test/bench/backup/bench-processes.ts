/** The child processes of the backup benchmark and their messages. */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { bundle, bundleDir } from '../../../infra/bundle/bundle.ts';
import type { Order, Reply } from './source/source-server.ts';
import type { BucketReply } from './store/bucket-process.ts';

/** A database to read, and the read time. */
export interface Task {
  readonly url: string;
  readonly project: string;
  readonly readTime: string;
  /** A scratch file for jobs that write one. */
  readonly file: string;
  /** An S3 bucket. */
  readonly bucketUrl: string;
  /** Runs the engine without interleaving the hardware limit. */
  readonly isAlone?: boolean;
  /** Where a process leaves its backups for the next one. */
  readonly dir?: string;
  /** Of `build`: what to do. */
  readonly phase?: BuildPhase;
}

/** `read`: the base, from the source. `capture`: changes since. The others build a backup from both. */
export type BuildPhase = 'read' | 'capture' | 'full' | 'incremental';

/** The result of a job. */
export interface Outcome {
  readonly documents: number;
  /** Bytes of the encoded documents, if known. */
  readonly bytes: number;
  /** Bytes in the store. */
  readonly stored: number;
  readonly [more: string]: number;
}

/** The result with its cost. `cpuSeconds` covers all threads of the process. */
export interface Took extends Outcome {
  readonly seconds: number;
  readonly cpuSeconds: number;
  readonly peakMib: number;
}

/** A child process that sends one reply per message. If it exits, waiting calls reject. */
export class Child {
  readonly #process: ChildProcess;
  readonly #died: Promise<never>;

  constructor(file: string | URL, args: readonly string[] = [], env: Readonly<Record<string, string>> = {}) {
    // Hides the output of other tools; that of our own processes shows errors.
    const stdio = Object.keys(env).length > 0 ? ('ignore' as const) : ('inherit' as const);
    this.#process = fork(file, [...args], { env: { ...process.env, ...env }, stdio: [stdio, stdio, stdio, 'ipc'] });
    this.#died = new Promise((_, fail) => {
      this.#process.once('exit', (code) => fail(new Error(`${file} exited with code ${code}`)));
    });
    this.#died.catch(() => undefined);
  }

  async ask<T>(message: object): Promise<T> {
    this.#process.send(message);
    return this.heard<T>();
  }

  async heard<T>(): Promise<T> {
    return Promise.race([once(this.#process, 'message').then(([answer]) => answer as T), this.#died]);
  }

  end(): void {
    if (this.#process.connected) this.#process.disconnect();
  }

  kill(): void {
    this.#process.kill('SIGKILL');
  }
}

/** Jobs that are bundled like the functions. */
const bundled = ['engine', 'engine-to-s3', 'scan', 'reader', 'replay', 'core-limit-alone', 'ndjson-size', 'build'] as const;
export type Work = (typeof bundled)[number] | 'official-client';

/** Source server, bucket and job processes. */
export class BenchProcesses {
  readonly #dir: string;
  readonly #server = new Child(new URL('source/source-server.ts', import.meta.url));
  readonly #bucket = new Child(new URL('store/bucket-process.ts', import.meta.url));

  constructor(dir: string) {
    this.#dir = dir;
  }

  static async open(dir: string): Promise<BenchProcesses> {
    await bundle(bundled.map(entryOf), dir);
    return new BenchProcesses(dir);
  }

  order(order: Order): Promise<Reply> {
    return this.#server.ask<Reply>(order);
  }

  bucket(): Promise<BucketReply> {
    return this.#bucket.ask<BucketReply>({});
  }

  start(work: Work): { run(task: Task): Promise<Took>; end(): void } {
    const file =
      work === 'official-client'
        ? new URL('process/official-client.ts', import.meta.url)
        : join(bundleDir(entryOf(work), this.#dir), 'index.cjs');
    const child = new Child(file);
    return { run: (task) => child.ask<Took>(task), end: () => child.end() };
  }

  /** Runs a job once, in a new process. */
  async once(work: Work, task: Task): Promise<Took> {
    const client = this.start(work);
    try {
      return await client.run(task);
    } finally {
      client.end();
    }
  }

  end(): void {
    this.#server.end();
    this.#bucket.end();
  }
}

const entryOf = (work: string): string => `test/bench/backup/process/${work}.ts`;
