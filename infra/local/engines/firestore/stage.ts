import type { Change, StoredDatabase } from './database.ts';
import { documentFields } from './document.ts';
import { type Entries, readEntries } from './entries.ts';
import { identicalFields } from './identical.ts';
import { limits } from './limits.ts';
import { applyMask } from './mask.ts';
import { type Micros, type PathKey, RpcError } from './parts.ts';
import { checkPrecondition } from './precondition.ts';
import { applyTransforms } from './transform.ts';
import { type CheckedFields, checkEntries } from './validate.ts';
import type { Write } from './write.ts';

export interface WriteResult {
  /** Of a delete there is none; of a write that changed nothing it is the one before. */
  readonly updateTime: Micros | undefined;
  /** Encoded Values. */
  readonly transformResults: readonly Uint8Array[];
}

interface State {
  readonly fields: Uint8Array;
  readonly updateTime: Micros;
}

/** What the writes of one commit make of the documents, one after the other; nobody sees it before it is applied. */
export class Stage {
  readonly #database: StoredDatabase;
  readonly #time: Micros;
  readonly #states: Map<PathKey, { readonly path: string; readonly state: State | undefined }> = new Map();

  constructor(database: StoredDatabase, time: Micros) {
    this.#database = database;
    this.#time = time;
  }

  /** The changes of the commit, one a document. */
  get changes(): readonly Change[] {
    return [...this.#states].map(([key, { path, state }]) => ({ key, path, fields: state?.fields }));
  }

  add(write: Write): WriteResult {
    const current = this.#current(write.key);
    checkPrecondition(write.precondition, current, write.name);
    if (write.operation === 'verify') return { updateTime: current?.updateTime ?? this.#time, transformResults: [] };
    if (write.operation === 'delete') {
      if (current) this.#set(write, undefined);
      return { updateTime: undefined, transformResults: [] };
    }
    const { fields, transformResults } = this.#result(write, current);
    checkSize(write, fields);
    if (current && identicalFields(current.fields, fields.bytes)) return { updateTime: current.updateTime, transformResults };
    this.#set(write, { fields: fields.bytes, updateTime: this.#time });
    return { updateTime: this.#time, transformResults };
  }

  #result(write: Write, current: State | undefined): { fields: CheckedFields; transformResults: readonly Uint8Array[] } {
    if (write.fields && !write.mask && write.transforms.length === 0) return { fields: write.fields, transformResults: [] };
    const update = write.fields && readEntries(write.fields.bytes, 2);
    let entries: Entries = current && (write.mask || !update) ? readEntries(current.fields, 2) : new Map();
    if (update) entries = write.mask ? applyMask(entries, update, write.mask) : update;
    const transformResults = applyTransforms(entries, write.transforms, this.#time);
    return { fields: checkEntries(entries), transformResults };
  }

  #current(key: PathKey): State | undefined {
    const staged = this.#states.get(key);
    if (staged) return staged.state;
    const stored = this.#database.get(key, this.#time);
    return stored && { fields: documentFields(stored.bytes), updateTime: stored.updateTime };
  }

  #set({ key, path }: Write, state: State | undefined): void {
    // What is made and deleted in one commit was never there.
    if (!state && !this.#database.get(key, this.#time)) this.#states.delete(key);
    else this.#states.set(key, { path, state });
  }
}

const checkSize = ({ name, path }: Write, { size }: CheckedFields): void => {
  // The name counts its ids, a byte each more, and 16; a document 32 on top.
  const total = 16 + Buffer.byteLength(path) + 1 + 32 + size;
  if (total <= limits.documentBytes) return;
  const count = (bytes: number) => bytes.toLocaleString('en-US');
  throw new RpcError(
    'INVALID_ARGUMENT',
    `Document '${name}' cannot be written because its size (${count(total)} bytes) exceeds the maximum allowed size of ${count(limits.documentBytes)} bytes.`,
  );
};
