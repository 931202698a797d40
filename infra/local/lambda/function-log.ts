/** Writes the output of each function to its own log file, so that the console stays readable. */
import { appendFileSync, mkdirSync, renameSync, statSync } from 'node:fs';
import { join } from 'node:path';

export interface FunctionLog {
  readonly write: (text: string | Uint8Array) => void;
}

/** A file is rotated at this size; the previous rotated file is deleted. */
const rotateAtBytes = 2_000_000;

export const openLogs = (dir: string): ((functionName: string) => FunctionLog) => {
  mkdirSync(dir, { recursive: true });
  const open = new Map<string, FunctionLog>();
  return (name) => {
    const known = open.get(name) ?? openLog(join(dir, `${name}.log`));
    open.set(name, known);
    return known;
  };
};

const openLog = (path: string): FunctionLog => {
  let waiting: Uint8Array[] = [];
  let bytes = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
  const flush = (): void => {
    const text = Buffer.concat(waiting);
    waiting = [];
    if (bytes > rotateAtBytes) {
      renameSync(path, `${path}.1`);
      bytes = 0;
    }
    try {
      appendFileSync(path, text);
    } catch (error) {
      // The folder was removed: the last output of a function is discarded.
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    }
    bytes += text.length;
  };
  return {
    write: (text) => {
      // Batches lines: one append per event-loop tick.
      if (waiting.length === 0) setImmediate(flush);
      waiting.push(typeof text === 'string' ? Buffer.from(text) : text);
    },
  };
};
