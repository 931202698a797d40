import { limits } from '../base/limits.ts';
import { type DocumentChange, type Micros, type PathKey, RpcError } from '../base/types.ts';
import { countIndexEntries, fewEntriesBytes } from '../indexes/count-index-entries.ts';
import type { Change } from '../storage/change.ts';
import type { StoredDatabase } from '../storage/database.ts';
import { documentFields } from '../value/encode-document.ts';
import { applyMask } from '../value/field-mask.ts';
import { identicalFields } from '../value/identical-fields.ts';
import { type Entries, readEntries } from '../value/map-entries.ts';
import { type CheckedFields, checkEntries } from '../value/validate-fields.ts';
import type { Write } from './parse-write.ts';
import { checkPrecondition } from './precondition.ts';
import { applyTransforms } from './transforms.ts';

export interface WriteResult {
  /** Undefined for a delete; the previous time for a write that changed nothing. */
  readonly updateTime: Micros | undefined;
  /** Encoded Values. */
  readonly transformResults: readonly Uint8Array[];
}

interface State {
  readonly fields: Uint8Array;
  readonly updateTime: Micros;
}

interface Staged {
  readonly time: Micros;
  readonly path: string;
  readonly newest: number;
  readonly wasThere: boolean;
  readonly state: State | undefined;
}

/** The effect of writes on documents, in order; invisible until applied. */
export class StagedWrites {
  readonly #database: StoredDatabase;
  readonly #staged = new Map<PathKey, Staged>();
  /** The commit time of the next writes. */
  time: Micros;

  constructor(database: StoredDatabase) {
    this.#database = database;
    this.time = database.nextTime();
  }

  /** The changes to apply, one per document. A document created and deleted in one commit never existed. */
  get changes(): readonly Change[] {
    const changes: Change[] = [];
    for (const [key, { time, path, newest, wasThere, state }] of this.#staged)
      if (state || wasThere) changes.push({ time, key, path, fields: state?.fields, newest });
    return changes;
  }

  /** The same changes with the documents before and after. */
  get proposals(): readonly DocumentChange[] {
    return this.changes.map(({ time, key, path, fields }) => ({
      key,
      path,
      before: this.#database.find(key).document,
      // Only its fields are used.
      after: fields && { key, path, createTime: time, updateTime: time, bytes: fields },
    }));
  }

  add(write: Write): WriteResult {
    const found = this.#find(write.key, write.path);
    const current = found.state;
    checkPrecondition(write.precondition, { current, name: write.name, now: this.time });
    if (write.operation === 'verify') return { updateTime: current?.updateTime ?? this.time, transformResults: none };
    if (write.operation === 'delete') {
      if (current) this.#set(write.key, found, undefined);
      return { updateTime: undefined, transformResults: none };
    }
    const { fields, transformResults } = this.#result(write, current);
    checkSize(write, fields);
    this.#checkIndexEntries(write, fields);
    if (current && identicalFields(current.fields, fields.bytes)) return { updateTime: current.updateTime, transformResults };
    this.#set(write.key, found, { fields: fields.bytes, updateTime: this.time });
    return { updateTime: this.time, transformResults };
  }

  #result(write: Write, current: State | undefined): { fields: CheckedFields; transformResults: readonly Uint8Array[] } {
    if (write.fields && !write.mask && write.transforms.length === 0) return { fields: write.fields, transformResults: none };
    const update = write.fields && readEntries(write.fields.bytes, 2);
    let entries: Entries = current && (write.mask || !update) ? readEntries(current.fields, 2) : new Map();
    if (update) entries = write.mask ? applyMask(entries, update, write.mask) : update;
    const transformResults = applyTransforms(entries, write.transforms, this.time);
    return { fields: checkEntries(entries), transformResults };
  }

  #checkIndexEntries({ path }: Write, { bytes }: CheckedFields): void {
    if (bytes.length < fewEntriesBytes) return;
    const collectionId = path.split('/').at(-2) ?? '';
    if (countIndexEntries(bytes, collectionId, this.#database.indexes) > limits.indexEntriesPerDocument)
      throw new RpcError('INVALID_ARGUMENT', 'too many index entries for entity');
  }

  #find(key: PathKey, path: string): Staged {
    const staged = this.#staged.get(key);
    if (staged) return staged;
    const { newest, document } = this.#database.find(key);
    const state = document && { fields: documentFields(document.bytes), updateTime: document.updateTime };
    return { time: this.time, path, newest, wasThere: document !== undefined, state };
  }

  #set(key: PathKey, found: Staged, state: State | undefined): void {
    this.#staged.set(key, { ...found, state });
  }
}

const none: readonly Uint8Array[] = [];

const checkSize = ({ name, path }: Write, { size }: CheckedFields): void => {
  // The size formula: 16 plus each id and one byte for the name, 32 for the document.
  const total = 16 + Buffer.byteLength(path) + 1 + 32 + size;
  if (total <= limits.documentBytes) return;
  const count = (bytes: number) => bytes.toLocaleString('en-US');
  throw new RpcError(
    'INVALID_ARGUMENT',
    `Document '${name}' cannot be written because its size (${count(total)} bytes) exceeds the maximum allowed size of ${count(limits.documentBytes)} bytes.`,
  );
};
