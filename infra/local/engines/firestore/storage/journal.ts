import { existsSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import type { Micros } from '../base/types.ts';
import { RecordLog } from './record-log.ts';

/** One version of one document on disk. */
export interface JournalEntry {
  readonly updated: Micros;
  /** The encoded Document, or the path of a deleted one. */
  readonly document: Buffer | undefined;
  readonly path: string | undefined;
}

/**
 * A database on disk: a snapshot of its versions and a log of later commits. `g.snapshot`, `g.log` and later logs are the
 * complete database. A generation begins with its log; its snapshot appears by an atomic rename.
 */
export class Journal {
  readonly #dir: string;
  #generation: number;
  #log: RecordLog;
  #closed = false;
  #compacting: Promise<void> | undefined;

  constructor(dir: string, replay: (entry: JournalEntry) => void) {
    this.#dir = dir;
    mkdirSync(dir, { recursive: true });
    const files = readdirSync(dir);
    for (const file of files) if (file.endsWith('.tmp')) rmSync(join(dir, file));
    const base = Math.max(0, ...generations(files, 'snapshot'));
    const logs = generations(files, 'log').filter((generation) => generation >= base);
    const read = (record: Buffer) => readEntries(record, replay);
    if (existsSync(this.#path(base, 'snapshot'))) RecordLog.open(this.#path(base, 'snapshot'), read).close();
    this.#generation = logs.at(-1) ?? base;
    for (const generation of logs.slice(0, -1)) RecordLog.open(this.#path(generation, 'log'), read).close();
    this.#log = RecordLog.open(this.#path(this.#generation, 'log'), read);
    this.#removeBefore(base);
  }

  /** Bytes written since the last snapshot. */
  get size(): number {
    return this.#log.size;
  }

  put(updated: Micros, document: Buffer): void {
    addEntry(this.#log, 1, updated, document);
  }

  delete(updated: Micros, path: string): void {
    addEntry(this.#log, 2, updated, Buffer.from(path));
  }

  /** Makes the changes since the last call durable, atomically. */
  append(): void {
    if (this.#log.pending > 0) this.#log.append();
  }

  discard(): void {
    this.#log.discard();
  }

  /** Writes all current versions to a new snapshot step by step, and deletes the logs it replaces. */
  compact(versions: () => Iterable<JournalEntry>): Promise<void> {
    this.#compacting ??= this.#compact(versions()).finally(() => {
      this.#compacting = undefined;
    });
    return this.#compacting;
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#log.close();
  }

  async #compact(versions: Iterable<JournalEntry>): Promise<void> {
    const generation = this.#generation + 1;
    const next = RecordLog.open(this.#path(generation, 'log'), () => undefined);
    this.#log.close();
    this.#log = next;
    this.#generation = generation;
    const temporary = `${this.#path(generation, 'snapshot')}.tmp`;
    const snapshot = RecordLog.open(temporary, () => undefined);
    try {
      for (const { updated, document, path } of versions) {
        if (document) addEntry(snapshot, 1, updated, document);
        else addEntry(snapshot, 2, updated, Buffer.from(path ?? ''));
        if (snapshot.pending < pieceBytes) continue;
        snapshot.append();
        await setImmediate();
        if (this.#closed) return;
      }
      if (snapshot.pending > 0) snapshot.append();
    } finally {
      snapshot.close();
    }
    renameSync(temporary, this.#path(generation, 'snapshot'));
    this.#removeBefore(generation);
  }

  #removeBefore(generation: number): void {
    const files = readdirSync(this.#dir);
    for (const kind of ['log', 'snapshot'] as const)
      for (const old of generations(files, kind)) if (old < generation) rmSync(this.#path(old, kind));
  }

  #path(generation: number, kind: 'log' | 'snapshot'): string {
    return join(this.#dir, `${generation}.${kind}`);
  }
}

const pieceBytes = 1024 * 1024;
const entryHeadBytes = 13;

const generations = (files: readonly string[], kind: string): number[] =>
  files
    .filter((file) => /^\d+\.\w+$/.test(file) && file.endsWith(`.${kind}`))
    .map((file) => Number.parseInt(file, 10))
    .sort((a, b) => a - b);

// An entry has a kind, a time, a length and bytes.
const addEntry = (log: RecordLog, kind: number, updated: Micros, bytes: Buffer): void => {
  const { buffer, at } = log.reserve(entryHeadBytes + bytes.length);
  buffer[at] = kind;
  buffer.writeDoubleLE(updated, at + 1);
  buffer.writeUInt32LE(bytes.length, at + 9);
  bytes.copy(buffer, at + entryHeadBytes);
};

const readEntries = (record: Buffer, replay: (entry: JournalEntry) => void): void => {
  for (let at = 0; at < record.length; ) {
    const updated = record.readDoubleLE(at + 1);
    const start = at + entryHeadBytes;
    const bytes = record.subarray(start, start + record.readUInt32LE(at + 9));
    if (record[at] === 1) replay({ updated, document: bytes, path: undefined });
    else replay({ updated, document: undefined, path: bytes.toString('utf8') });
    at = start + bytes.length;
  }
};
