/** What the command writes: results on stdout or into a file, everything else on stderr. */
import { once } from 'node:events';
import { createWriteStream, renameSync, rmSync, type WriteStream } from 'node:fs';
import type { Writable } from 'node:stream';
import { unusable } from './failure.ts';

/** Lines are handed on in pieces of this size. */
const pieceCharacters = 256 << 10;

export interface Output {
  line(text: string): Promise<void>;
  /** Only now is a file there under its name. */
  finish(): Promise<void>;
  /** What was written to stdout so far stays; of a file no half is left behind. */
  abort(): Promise<void>;
}

/** Waits for whoever reads, so that memory does not grow. */
export const openOutput = (file?: string): Output => {
  const partial = file === undefined ? undefined : `${file}.partial`;
  // What it holds is the customer's: nobody else on this machine reads it.
  const stream: Writable = partial === undefined ? process.stdout : createWriteStream(partial, { mode: 0o600 });
  let failure: NodeJS.ErrnoException | undefined;
  stream.on('error', (error: NodeJS.ErrnoException) => {
    // Whoever read, as `head` does, has seen enough.
    if (partial === undefined && error.code === 'EPIPE') process.exit(0);
    failure = error;
  });
  const check = (): void => {
    if (failure) throw unusable(`${file ?? 'stdout'}: ${failure.code}`, failure);
  };
  let held = '';
  let isFinished = false;
  const flush = async (): Promise<void> => {
    check();
    const text = held;
    held = '';
    if (text !== '' && !stream.write(text)) await drained(stream);
    check();
  };
  return {
    line: async (text) => {
      held += `${text}\n`;
      if (held.length >= pieceCharacters) await flush();
    },
    finish: async () => {
      await flush();
      if (isFinished || partial === undefined || file === undefined) return;
      isFinished = true;
      stream.end();
      await once(stream as WriteStream, 'close').catch(() => undefined);
      check();
      renameSync(partial, file);
    },
    abort: async () => {
      if (partial === undefined) return flush();
      stream.destroy();
      rmSync(partial, { force: true });
    },
  };
};

/** Or failed: whoever waits looks which. */
const drained = (stream: Writable): Promise<void> =>
  new Promise((done) => {
    const go = (): void => {
      for (const event of ['drain', 'error', 'close']) stream.off(event, go);
      done();
    };
    for (const event of ['drain', 'error', 'close']) stream.on(event, go);
  });

export const say = (text: string): void => void process.stderr.write(`${text}\n`);

/** How far a long read has come: one line that changes at a terminal, else a line for every tenth. */
export class Progress {
  readonly #what: string;
  readonly #total: number;
  #done = 0;
  #told = 0;

  constructor(what: string, total: number) {
    this.#what = what;
    this.#total = total;
  }

  add(count: number): void {
    this.#done += count;
    const percent = Math.floor((100 * this.#done) / Math.max(1, this.#total));
    const step = process.stderr.isTTY ? 1 : 10;
    if (percent < this.#told + step) return;
    this.#told = percent - (percent % step);
    const text = `${String(this.#told).padStart(3)} %  ${grouped(this.#done)} of ${grouped(this.#total)} ${this.#what}`;
    if (process.stderr.isTTY) process.stderr.write(`\r${text}${this.#told >= 100 ? '\n' : ''}`);
    else say(text);
  }
}

export const grouped = (count: number): string => count.toLocaleString('en');

/** Names may hold anything: what would break a line or a terminal is written as JSON. */
export const plain = (name: string): string =>
  /[\p{Cc}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]/u.test(name) ? JSON.stringify(name) : name;
