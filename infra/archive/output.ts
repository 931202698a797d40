/** Output of the command: results go to stdout or a file, everything else to stderr. */
import { once } from 'node:events';
import { createWriteStream, openSync, renameSync, rmSync, type WriteStream } from 'node:fs';
import { constants } from 'node:os';
import type { Writable } from 'node:stream';
import { escapeOutput } from './escape-output.ts';
import { unusable } from './failure.ts';
import { toJson } from './to-json.ts';

/** Lines are buffered up to this size. */
const pieceCharacters = 256 << 10;

export interface Output {
  /** Results are one JSON value. */
  readonly isJson: boolean;
  /** Lists have names only, and there are neither notes nor progress. */
  readonly isQuiet: boolean;
  line(text: string): Promise<void>;
  /** What was written appears now: the command goes on for a while. */
  flush(): Promise<void>;
  /** The file appears under its name. */
  finish(): Promise<void>;
  /** Output on stdout stays; a partial file is deleted. */
  abort(): Promise<void>;
}

interface OutputOptions {
  readonly force: boolean;
  readonly json: boolean;
  readonly quiet: boolean;
}

/** Applies backpressure, so that memory stays bounded. */
export const openOutput = (file: string | undefined, { force, json, quiet }: OutputOptions): Output => {
  hasNotes = !quiet;
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
    isJson: json,
    isQuiet: quiet,
    line: async (text) => {
      buffered += `${escapeOutput(text)}\n`;
      if (buffered.length >= pieceCharacters) await flush();
    },
    flush,
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

/** A list of any length: a line per row, or with --json one array. */
export class Listing<Row extends object> {
  readonly #output: Output;
  readonly #lineOf: (row: Row) => string;
  #last: Row | undefined;

  constructor(output: Output, lineOf: (row: Row) => string) {
    this.#output = output;
    this.#lineOf = lineOf;
  }

  async add(row: Row): Promise<void> {
    if (!this.#output.isJson) return this.#output.line(this.#lineOf(row));
    await this.#output.line(this.#last ? `  ${toJson(this.#last)},` : '[');
    this.#last = row;
  }

  async end(): Promise<void> {
    if (!this.#output.isJson) return;
    await this.#output.line(this.#last ? `  ${toJson(this.#last)}\n]` : '[]');
  }
}

/** Set by the options of the command. */
let hasNotes = true;

/** What is neither a result nor an error. */
export const note = (text: string): void => {
  if (hasNotes) say(text);
};

/** Errors and warnings. */
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
    if (!hasNotes) return;
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
