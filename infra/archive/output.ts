/** What the command writes: results on stdout or into a file, everything else on stderr. */
import { once } from 'node:events';
import { createWriteStream, openSync, renameSync, rmSync, type WriteStream } from 'node:fs';
import { constants } from 'node:os';
import type { Writable } from 'node:stream';
import { escapeOutput } from './escape-output.ts';
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
export const openOutput = (file: string | undefined, { force }: { readonly force: boolean }): Output => {
  const partial = file === undefined ? undefined : `${file}.partial`;
  const stream: Writable = partial === undefined ? process.stdout : createPartial(partial, force);
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
  let isPartial = partial !== undefined;
  const discard = (): void => {
    if (isPartial && partial !== undefined) rmSync(partial, { force: true });
    isPartial = false;
  };
  if (isPartial) {
    process.once('exit', discard);
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
      process.once(signal, () => process.exit(128 + constants.signals[signal]));
  }
  const flush = async (): Promise<void> => {
    check();
    const text = held;
    held = '';
    if (text !== '' && !stream.write(text)) await drained(stream);
    check();
  };
  return {
    line: async (text) => {
      held += `${escapeOutput(text)}\n`;
      if (held.length >= pieceCharacters) await flush();
    },
    finish: async () => {
      await flush();
      if (!isPartial || partial === undefined || file === undefined) return;
      stream.end();
      await once(stream as WriteStream, 'close').catch(() => undefined);
      check();
      renameSync(partial, file);
      isPartial = false;
    },
    abort: async () => {
      if (partial === undefined) return flush();
      stream.destroy();
      discard();
    },
  };
};

/**
 * What it holds is the customer's: it is a new file that nobody else on this machine reads, never one that is there already
 * nor where a link leads.
 */
const createPartial = (partial: string, force: boolean): WriteStream => {
  let fd: number;
  try {
    if (force) rmSync(partial, { force: true });
    fd = openSync(partial, 'wx', 0o600);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw unusable(`${partial}: ${code === 'EEXIST' ? 'is there already; --force replaces it' : code}`, error);
  }
  return createWriteStream(partial, { fd });
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

export const say = (text: string): void => void process.stderr.write(`${escapeOutput(text)}\n`);

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
