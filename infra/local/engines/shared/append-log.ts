/** A persistent map: one line per change, so a crash loses at most the line being written. */
import { appendFileSync, existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

interface AppendLog<T> {
  get(name: string): T | undefined;
  set(name: string, value: T): void;
  remove(name: string): void;
  /** In the order of first insertion. */
  values(): readonly T[];
}

interface Line<T> {
  readonly name: string;
  readonly value?: T;
}

// Values may be secret: readable by the owner only.
const mode = 0o600;

export const openAppendLog = <T>(file: string): AppendLog<T> => {
  mkdirSync(dirname(file), { recursive: true });
  const values = new Map<string, T>(readLines<T>(file));
  // Opening compacts the log; otherwise it would grow for ever.
  writeFileSync(`${file}.new`, [...values].map(([name, value]) => line({ name, value })).join(''), { mode });
  renameSync(`${file}.new`, file);
  return {
    get: (name) => values.get(name),
    values: () => [...values.values()],
    set: (name, value) => {
      values.set(name, value);
      appendFileSync(file, line({ name, value }), { mode });
    },
    remove: (name) => {
      if (values.delete(name)) appendFileSync(file, line({ name }), { mode });
    },
  };
};

const line = <T>(entry: Line<T>): string => `${JSON.stringify(entry)}\n`;

const readLines = <T>(file: string): Map<string, T> => {
  const values = new Map<string, T>();
  if (!existsSync(file)) return values;
  // The text after the last newline is an incomplete line.
  for (const text of readFileSync(file, 'utf8').split('\n').slice(0, -1)) {
    const { name, value } = JSON.parse(text) as Line<T>;
    if (value === undefined) values.delete(name);
    else values.set(name, value);
  }
  return values;
};
