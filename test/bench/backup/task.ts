/** What the processes of the bench say to each other. */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { bundle, bundleDir } from '../../../infra/bundle/bundle.ts';
import type { BucketReply } from './bucket.ts';
import type { Order, Reply } from './server.ts';

/** A database to read, and when. */
export interface Task {
  readonly url: string;
  readonly project: string;
  readonly readTime: string;
  /** A file that all documents may be written to, for works that need one. */
  readonly file: string;
  /** A bucket of the S3 kind. */
  readonly bucketUrl: string;
  /** The engine without the limit beside it. */
  readonly isAlone?: boolean;
}

/** What a work did. */
export interface Outcome {
  readonly documents: number;
  /** Of the encoded documents, where that is known. */
  readonly bytes: number;
  /** Bytes that would be stored. */
  readonly stored: number;
  readonly [more: string]: number;
}

/** And what it took. `cpuSeconds` are of all threads of the process. */
export interface Took extends Outcome {
  readonly seconds: number;
  readonly cpuSeconds: number;
  readonly peakMib: number;
}

/** A process that answers every message with one; whoever waits for one that died hears of it. */
export class Child {
  readonly #process: ChildProcess;
  readonly #died: Promise<never>;

  constructor(file: string | URL, args: readonly string[] = [], env: Readonly<Record<string, string>> = {}) {
    // What others print is no part of a table; what our own print says what went wrong.
    const stdio = Object.keys(env).length > 0 ? ('ignore' as const) : ('inherit' as const);
    this.#process = fork(file, [...args], { env: { ...process.env, ...env }, stdio: [stdio, stdio, stdio, 'ipc'] });
    this.#died = new Promise((_, fail) => {
      this.#process.once('exit', (code) => fail(new Error(`${file} ended with ${code}`)));
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

/** The works that are bundled, as the functions they stand for are. */
const bundled = ['engine', 'through-s3', 'scan', 'read', 'replay', 'limit-alone', 'ndjson'] as const;
export type Work = (typeof bundled)[number] | 'sdk';

/** Where all of it happens. */
export class World {
  readonly #dir: string;
  readonly #server = new Child(new URL('server.ts', import.meta.url));
  readonly #bucket = new Child(new URL('bucket.ts', import.meta.url));

  constructor(dir: string) {
    this.#dir = dir;
  }

  static async open(dir: string): Promise<World> {
    await bundle(bundled.map(entryOf), dir);
    return new World(dir);
  }

  order(order: Order): Promise<Reply> {
    return this.#server.ask<Reply>(order);
  }

  bucket(): Promise<BucketReply> {
    return this.#bucket.ask<BucketReply>({});
  }

  start(work: Work): { run(task: Task): Promise<Took>; end(): void } {
    const file = work === 'sdk' ? new URL('sdk.ts', import.meta.url) : join(bundleDir(entryOf(work), this.#dir), 'index.cjs');
    const child = new Child(file);
    return { run: (task) => child.ask<Took>(task), end: () => child.end() };
  }

  /** Once, in a process of its own. */
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

const entryOf = (work: string): string => `test/bench/backup/${work}.ts`;
