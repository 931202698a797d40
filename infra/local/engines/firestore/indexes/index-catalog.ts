/** The indexes and fields of one database that the Admin API shows and changes. */
import { createHash } from 'node:crypto';
import { type Micros, RpcError } from '../base/types.ts';
import { parseFieldPath } from '../value/field-path.ts';
import { IndexDefinitions } from './index-definitions.ts';
import type { FieldChange, IndexedField, NewIndex } from './index-resource.ts';

export interface StoredIndex extends NewIndex {
  readonly id: string;
  readonly collectionGroup: string;
  readonly createdAt: Micros;
}

type FieldIndexes = NonNullable<NonNullable<FieldChange['indexConfig']>['indexes']>;

/** What was set for a field, beside what it inherits. */
export interface StoredField {
  readonly collectionGroup: string;
  readonly fieldPath: string;
  /** Absent: those of the ancestor. */
  readonly indexes?: FieldIndexes | undefined;
  readonly ttlSince?: Micros | undefined;
  readonly changedAt: Micros;
}

/** A long-running operation; done once the time to build has passed. */
export interface StoredOperation {
  readonly id: string;
  readonly startedAt: Micros;
  readonly subject: { readonly index: string } | { readonly collectionGroup: string; readonly fieldPath: string };
}

export interface CatalogState {
  readonly indexes: readonly StoredIndex[];
  readonly fields: readonly StoredField[];
  readonly operations: readonly StoredOperation[];
}

interface CatalogOptions {
  /** What an earlier run has kept. */
  readonly state?: CatalogState | undefined;
  /** The text of a `firestore.indexes.json`: queries are checked, and these indexes exist from the start. */
  readonly file?: string | undefined;
  /** How long an index is built. */
  readonly buildMs: number;
  readonly now: () => Micros;
  /** Keeps a change before it is answered. */
  readonly keep: (state: CatalogState) => void;
}

const operationsMax = 100;
/** The ancestor of all fields. */
export const ancestor = { collectionGroup: '__default__', fieldPath: '*' } as const;

export class IndexCatalog {
  #state: CatalogState;
  readonly #options: CatalogOptions;
  readonly #isChecked: boolean;
  #definitions: { readonly value: IndexDefinitions; readonly until: Micros } | undefined;

  constructor(options: CatalogOptions) {
    const { state, file } = options;
    this.#options = options;
    this.#isChecked = file !== undefined;
    this.#state = state ?? (file === undefined ? { indexes: [], fields: [], operations: [] } : stateOfFile(file));
  }

  get indexes(): readonly StoredIndex[] {
    return this.#state.indexes;
  }

  get fields(): readonly StoredField[] {
    return this.#state.fields;
  }

  get operations(): readonly StoredOperation[] {
    return this.#state.operations;
  }

  /** How much of an index, a field or an operation is done: 1 once it is ready. */
  progressOf(since: Micros): number {
    const { buildMs, now } = this.#options;
    return since === 0 || buildMs === 0 ? 1 : Math.min(1, Math.max(0, (now() - since) / (buildMs * 1_000)));
  }

  isReady(since: Micros): boolean {
    return this.progressOf(since) === 1;
  }

  /** What queries may use by now; undefined if they are not checked. */
  get definitions(): IndexDefinitions | undefined {
    if (!this.#isChecked) return undefined;
    const now = this.#options.now();
    if (!this.#definitions || now >= this.#definitions.until) {
      const { indexes, fields } = this.#state;
      const pending = [...indexes, ...fields.map(({ changedAt }) => ({ createdAt: changedAt }))]
        .map(({ createdAt }) => createdAt)
        .filter((at) => !this.isReady(at));
      const until = pending.length > 0 ? Math.min(...pending) + this.#options.buildMs * 1_000 : Number.POSITIVE_INFINITY;
      this.#definitions = { value: new IndexDefinitions(this.#fileOfReady()), until };
    }
    return this.#definitions.value;
  }

  create(collectionGroup: string, index: NewIndex): StoredOperation {
    checkIndexFields(index.fields);
    const created = { ...withName(index), collectionGroup, createdAt: this.#options.now() };
    const id = idOf(created);
    if (this.#state.indexes.some((one) => one.id === id)) throw new RpcError('ALREADY_EXISTS', 'index already exists');
    const operation = this.#begin({ index: id });
    this.#keep({ ...this.#state, indexes: [...this.#state.indexes, { ...created, id }], operations: this.#with(operation) });
    return operation;
  }

  find(collectionGroup: string, id: string): StoredIndex {
    const found = this.#state.indexes.find((one) => one.id === id && one.collectionGroup === collectionGroup);
    if (!found) throw new RpcError('NOT_FOUND', `The index ${id} does not exist.`);
    return found;
  }

  remove(collectionGroup: string, id: string): void {
    const { id: found } = this.find(collectionGroup, id);
    this.#keep({ ...this.#state, indexes: this.#state.indexes.filter((one) => one.id !== found) });
  }

  field(collectionGroup: string, fieldPath: string): StoredField | undefined {
    return this.#state.fields.find((one) => one.collectionGroup === collectionGroup && one.fieldPath === fieldPath);
  }

  /** Changes the parts that the mask names; a part that is absent or empty reverts to what the field inherits. */
  patch(
    { collectionGroup, fieldPath }: Pick<StoredField, 'collectionGroup' | 'fieldPath'>,
    change: FieldChange,
    mask: ReadonlySet<string>,
  ): StoredOperation {
    if (fieldPath !== '*') parseFieldPath(fieldPath);
    const now = this.#options.now();
    const before = this.field(collectionGroup, fieldPath);
    const others = this.#state.fields.filter((one) => one !== before);
    const ttlSince = mask.has('ttlConfig') ? change.ttlConfig && (before?.ttlSince ?? now) : before?.ttlSince;
    if (ttlSince !== undefined && others.some((one) => one.collectionGroup === collectionGroup && one.ttlSince !== undefined))
      throw new RpcError('FAILED_PRECONDITION', `There is already a TTL policy for the collection group ${collectionGroup}.`);
    const indexes = mask.has('indexConfig') ? change.indexConfig?.indexes : before?.indexes;
    const changed: StoredField = {
      collectionGroup,
      fieldPath,
      changedAt: now,
      ...(indexes && { indexes }),
      ...(ttlSince !== undefined && { ttlSince }),
    };
    const kept = indexes || ttlSince !== undefined ? [...others, changed] : others;
    const operation = this.#begin({ collectionGroup, fieldPath });
    this.#keep({ ...this.#state, fields: kept, operations: this.#with(operation) });
    return operation;
  }

  #begin(subject: StoredOperation['subject']): StoredOperation {
    const startedAt = this.#options.now();
    const last = this.#state.operations.at(-1);
    const number = last ? Number(last.id.slice(operationPrefix.length)) + 1 : 1;
    return { id: `${operationPrefix}${number}`, startedAt, subject };
  }

  #with(operation: StoredOperation): readonly StoredOperation[] {
    return [...this.#state.operations, operation].slice(-operationsMax);
  }

  #keep(state: CatalogState): void {
    this.#options.keep(state);
    this.#state = state;
    this.#definitions = undefined;
  }

  #fileOfReady(): string {
    const indexes = this.#state.indexes.filter(({ createdAt }) => this.isReady(createdAt));
    const fieldOverrides = this.#state.fields
      .filter(({ indexes: own, changedAt }) => own !== undefined && this.isReady(changedAt))
      .map(({ collectionGroup, fieldPath, indexes: own = [] }) => ({
        collectionGroup,
        fieldPath,
        indexes: own.map(({ queryScope, fields: [{ order, arrayConfig } = {}] }) => ({ queryScope, order, arrayConfig })),
      }));
    return JSON.stringify({ indexes, fieldOverrides });
  }
}

const operationPrefix = 'op';

/** Like the service, which adds the name of the document in the order of the last field. */
const withName = (index: NewIndex): NewIndex => {
  const { fields } = index;
  const last = fields.at(-1);
  if (fields.some(({ fieldPath }) => fieldPath === '__name__') || last?.vectorConfig) return index;
  return { ...index, fields: [...fields, { fieldPath: '__name__', order: last?.order ?? 'ASCENDING' }] };
};

const checkIndexFields = (fields: readonly IndexedField[]): void => {
  for (const { fieldPath, order, arrayConfig, vectorConfig } of fields) {
    parseFieldPath(fieldPath);
    if ([order, arrayConfig, vectorConfig].filter((one) => one !== undefined).length !== 1)
      throw new RpcError('INVALID_ARGUMENT', `The field ${fieldPath} needs exactly one of order, arrayConfig and vectorConfig.`);
  }
  const own = fields.filter(({ fieldPath }) => fieldPath !== '__name__');
  if (new Set(own.map(({ fieldPath }) => fieldPath)).size !== own.length)
    throw new RpcError('INVALID_ARGUMENT', 'An index has each field once.');
  if (own.length < 2 && !own[0]?.vectorConfig)
    throw new RpcError('INVALID_ARGUMENT', 'this index is not necessary, configure using single field index controls');
};

/** The same index has the same id, whenever and wherever it is created. */
const idOf = ({ collectionGroup, queryScope, fields }: Omit<StoredIndex, 'id'>): string =>
  `C${createHash('sha256')
    .update(JSON.stringify([collectionGroup, queryScope, fields]))
    .digest('base64url')
    .slice(0, 15)}`;

const stateOfFile = (text: string): CatalogState => {
  const { composites, overrides } = new IndexDefinitions(text);
  const indexes = composites.map(({ collectionId: collectionGroup, scope: queryScope, fields }) => {
    const index = withName({
      queryScope,
      apiScope: 'ANY_API',
      fields: fields.map(({ text: fieldPath, kind, dimension = 1 }) => ({
        fieldPath,
        ...(kind === 'VECTOR' ? { vectorConfig: { dimension, flat: {} } } : configOf(kind)),
      })),
    });
    const created = { ...index, collectionGroup, createdAt: 0 };
    return { ...created, id: idOf(created) };
  });
  const fields = overrides.map(({ collectionGroup, fieldPath, indexes: own }) => ({
    collectionGroup,
    fieldPath,
    changedAt: 0,
    indexes: own.map(({ scope: queryScope, kind }) => ({ queryScope, fields: [{ fieldPath, ...configOf(kind) }] })),
  }));
  return { indexes, fields, operations: [] };
};

const configOf = (kind: 'ASCENDING' | 'DESCENDING' | 'CONTAINS') =>
  kind === 'CONTAINS' ? { arrayConfig: kind } : { order: kind };
