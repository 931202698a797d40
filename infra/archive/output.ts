/** Output of the command: results go to stdout or a file, everything else to stderr. */
import { once } from 'node:events';
import { createWriteStream, openSync, renameSync, rmSync, type WriteStream } from 'node:fs';
import { constants } from 'node:os';
import type { Writable } from 'node:stream';
import { escapeOutput } from './escape-output.ts';
import { unusable } from './failure.ts';

/** Lines are buffered up to this size. */
const pieceCharacters = 256 << 10;

export interface Output {
  line(text: string): Promise<void>;
  /** The file appears under its name. */
  finish(): Promise<void>;
  /** Output on stdout stays; a partial file is deleted. */
  abort(): Promise<void>;
}

/** Applies backpressure, so that memory stays bounded. */
export const openOutput = (file: string | undefined, { force }: { readonly force: boolean }): Output => {
  const partial = file === undefined ? undefined : `${file}.partial`;
  const stream: Writable = partial === undefined ? process.stdout : createPartial(partial, force);
  let failure: NodeJS.ErrnoException | undefined;
  stream.on('error', (error: NodeJS.ErrnoException) => {
    // The reader, such as `head`, closed the pipe.
    if (partial === undefined && error.code === 'EPIPE') process.exit(0);
    failure = error;
  });
  const check = (): void => {
    if (failure) throw unusable(`${file ?? 'stdout'}: ${failure.code}`, failure);
  };
  let buffered = '';
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
    const text = buffered;
    buffered = '';
    if (text !== '' && !stream.write(text)) await drained(stream);
    check();
  };
  return {
    line: async (text) => {
      buffered += `${escapeOutput(text)}\n`;
      if (buffered.length >= pieceCharacters) await flush();
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

/** The file holds customer data: it is created new, readable by its owner only, and never through an existing file or link. */
const createPartial = (partial: string, force: boolean): WriteStream => {
  let fd: number;
  try {
    if (force) rmSync(partial, { force: true });
    fd = openSync(partial, 'wx', 0o600);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw unusable(`${partial}: ${code === 'EEXIST' ? 'already exists; --force replaces it' : code}`, error);
  }
  return createWriteStream(partial, { fd });
};

/** Resolves on drain, error or close; the caller checks for failure. */
const drained = (stream: Writable): Promise<void> =>
  new Promise((done) => {
    const go = (): void => {
      for (const event of ['drain', 'error', 'close']) stream.off(event, go);
      done();
    };
    for (const event of ['drain', 'error', 'close']) stream.on(event, go);
  });

export const say = (text: string): void => void process.stderr.write(`${escapeOutput(text)}\n`);

/** Progress of a long read: one updated line on a terminal, otherwise a line every 10 %. */
export class Progress {
  readonly #unit: string;
  readonly #total: number;
  #done = 0;
  #reported = 0;

  constructor(unit: string, total: number) {
    this.#unit = unit;
    this.#total = total;
  }

  add(count: number): void {
    this.#done += count;
    const percent = Math.floor((100 * this.#done) / Math.max(1, this.#total));
    const step = process.stderr.isTTY ? 1 : 10;
    if (percent < this.#reported + step) return;
    this.#reported = percent - (percent % step);
    const text = `${String(this.#reported).padStart(3)} %  ${grouped(this.#done)} of ${grouped(this.#total)} ${this.#unit}`;
    if (process.stderr.isTTY) process.stderr.write(`\r${text}${this.#reported >= 100 ? '\n' : ''}`);
    else say(text);
  }
}

export const grouped = (count: number): string => count.toLocaleString('en');
