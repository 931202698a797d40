import { ApiFailure, type Client, type DataOf } from '../../shared/client/index.ts';
import {
  type BaseDocuments,
  depth,
  keyPath,
  messageOfJson,
  type PathKey,
  pathKey,
  RpcError,
  readDocumentHead,
  type ScanOptions,
  type StoredDocument,
} from '../local/engines/firestore/index.ts';

type Entry = DataOf<'GET /backups/{backupId}/documents'>[number];

interface PageQuery {
  readonly path: string;
  readonly limit: number;
  readonly descendants?: 'true' | undefined;
  readonly startAt?: string | undefined;
  readonly cursor?: string | undefined;
}

interface DocumentPage {
  readonly documents: readonly StoredDocument[];
  readonly next: string | undefined;
  readonly bytes: number;
}

/** The largest pages that the service gives. */
const pageLimit = 100;
const cachedBytesMax = 64 << 20;

interface ServiceSource {
  readonly client: Client;
  readonly backupId: string;
  readonly errorOf: (error: unknown) => Error;
  /** All that is asked for is proven: what the backup does not have was not there, although it lacks other collections. */
  readonly isProven: boolean;
}

/** The documents of a backup that the service reads: it has the bucket and the key, and its audit log says who has read what. */
export class ServiceDocuments implements BaseDocuments {
  readonly #source: ServiceSource;
  /** Least recently used first. */
  readonly #pages = new Map<string, { readonly page: Promise<DocumentPage>; bytes: number }>();
  #cachedBytes = 0;

  constructor(source: ServiceSource) {
    this.#source = source;
  }

  async get(key: PathKey): Promise<StoredDocument | undefined> {
    const { documents } = await this.#page({ path: keyPath(key), limit: 1 });
    return documents.find((document) => document.key === key);
  }

  async *scan(
    from: PathKey,
    to: PathKey,
    { backwards = false, segments }: ScanOptions,
  ): AsyncGenerator<readonly StoredDocument[], void, undefined> {
    const query = queryOf({ from, to, segments });
    const within = ({ documents }: DocumentPage): readonly StoredDocument[] =>
      documents.filter(({ key }) => from <= key && key < to && (segments === undefined || depth(key) === segments));
    const cursors: (string | undefined)[] = [];
    for (let cursor: string | undefined; ; ) {
      const page = await this.#page({ ...query, cursor });
      if (backwards) cursors.push(cursor);
      else yield within(page);
      cursor = page.next;
      if (cursor === undefined || (page.documents.at(-1)?.key ?? '') >= to) break;
    }
    // The service lists forwards only: pages are listed first and read again from the last one.
    for (const cursor of cursors.reverse()) yield [...within(await this.#page({ ...query, cursor }))].reverse();
  }

  #page(query: PageQuery): Promise<DocumentPage> {
    const id = JSON.stringify(query);
    const known = this.#pages.get(id);
    this.#pages.delete(id);
    const entry = known ?? { page: this.#read(query), bytes: 0 };
    this.#pages.set(id, entry);
    if (!known)
      entry.page.then(
        ({ bytes }) => this.#addSize(id, entry, bytes),
        // Failures are not cached.
        () => this.#pages.get(id) === entry && this.#pages.delete(id),
      );
    return entry.page;
  }

  #addSize(id: string, entry: { bytes: number }, bytes: number): void {
    if (this.#pages.get(id) !== entry) return;
    entry.bytes = bytes;
    this.#cachedBytes += bytes;
    for (const [oldest, { bytes: freed }] of this.#pages) {
      if (this.#cachedBytes <= cachedBytesMax) return;
      this.#pages.delete(oldest);
      this.#cachedBytes -= freed;
    }
  }

  async #read(query: PageQuery): Promise<DocumentPage> {
    const { client, backupId, errorOf, isProven } = this.#source;
    const params = { backupId };
    try {
      const { data, pagination } = await client.page('GET /backups/{backupId}/documents', { params, query });
      const documents = data.flatMap((entry) => (entry.name === undefined ? [] : [documentOf(entry)]));
      const bytes = documents.reduce((sum, document) => sum + document.bytes.length + entryBytes, entryBytes);
      return { documents, next: pagination.nextCursor ?? undefined, bytes };
    } catch (error) {
      if (isAbsent(error) || (isProven && isUnproven(error))) return { documents: [], next: undefined, bytes: entryBytes };
      throw errorOf(error);
    }
  }
}

/** Nothing is at the path, or the erasure ledger hides it. */
const isAbsent = (error: unknown): boolean =>
  error instanceof ApiFailure && (error.code === 'NOT_FOUND' || error.code === 'DOCUMENT_NOT_FOUND');

/** Nothing is at the path, and the backup lacks collections. */
const isUnproven = (error: unknown): boolean =>
  error instanceof ApiFailure && error.code === 'CONFLICT' && Array.isArray(error.details.collections);

/** Of a page or a document in memory, in addition to its contents. */
const entryBytes = 500;
const separator = '\x00';
const endOfSubtree = '\x01';

const documentOf = ({ path, name, fields, createTime, updateTime, fieldsTooLarge }: Entry): StoredDocument => {
  if (fieldsTooLarge)
    throw new RpcError('FAILED_PRECONDITION', `The fields of ${path} are too large for a response; bms archive open reads them.`);
  const bytes = messageOfJson('Document', { name, fields, createTime, updateTime });
  const { created, updated } = readDocumentHead(bytes);
  return { key: pathKey(path), path, createTime: created, updateTime: updated, bytes };
};

/** The list with all documents of a range: that of the deepest path that is above both its ends. */
const queryOf = ({ from, to, segments }: ScanOptions & { readonly from: PathKey; readonly to: PathKey }): PageQuery => {
  const parts = from.split(separator);
  const above = parts.slice(0, -1);
  while (parts.at(-1) === '') parts.pop();
  const first = parts.join(separator);
  const end = (to.endsWith(endOfSubtree) ? to.slice(0, -endOfSubtree.length) : to).split(separator);
  const differs = above.findIndex((segment, i) => segment !== end[i]);
  const parent = above.slice(0, differs < 0 ? above.length : differs).join(separator);
  const isCollection = parent !== '' && depth(parent) % 2 === 1 && segments === depth(parent) + 1;
  const path = parent === '' ? '' : keyPath(parent);
  const isInside = first.length > parent.length && depth(first) % 2 === 0;
  return {
    path,
    limit: pageLimit,
    descendants: isCollection ? undefined : 'true',
    startAt: isInside ? keyPath(first) : undefined,
  };
};
