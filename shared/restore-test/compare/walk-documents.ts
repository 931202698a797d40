/**
 * Reads documents of an archive in the order of their names: decrypts, decodes and digests each, and compares it with a live database.
 * The state is complete after every document, so that a walk can end anywhere and continue in another step.
 */
import { createHash } from 'node:crypto';
import { type Archive, compareNames } from '../../archive/index.ts';
import type { differenceKinds } from '../../contract/models/restore-test.ts';
import {
  collectionIdOf,
  type FirestoreDatabase,
  getDocuments,
  intersection,
  justAfter,
  type NameRange,
  restDocument,
  sameFields,
} from '../../firestore/index.ts';
import { ArchiveCursor, LiveLookupCursor, LiveScanCursor, mergeJoin, type TargetCursor } from '../../stored-backup/index.ts';
import type { WalkState } from '../model/record.ts';

export type FoundKind = (typeof differenceKinds)[number];

/** The live database to compare with. */
export interface LiveSide {
  readonly database: FirestoreDatabase;
  readonly readTime: string;
  /** `scan` also finds documents that the archive lacks; `lookup` reads only those that it has. */
  readonly look: 'scan' | 'lookup';
  /** What a document of the archive is in that database. */
  readonly rewrite?: ((document: Uint8Array) => Uint8Array) | undefined;
}

export interface WalkOptions {
  readonly archive: Archive;
  readonly ranges: readonly NameRange[];
  /** Of a safety backup: a tombstone says that the document must not exist. */
  readonly withTombstones?: boolean;
  /** Reports an erased document with these words; without them it is only counted. */
  readonly erasedMessage?: string | undefined;
  readonly wants?: ((path: string) => boolean) | undefined;
  readonly live?: LiveSide | undefined;
  readonly signal: AbortSignal;
  readonly report: (path: string, kind: FoundKind, message: string) => void;
  /** Called now and then with the state; true ends the walk. */
  readonly isOver: (state: WalkState) => Promise<boolean>;
}

export const newWalk: WalkState = {
  documents: 0,
  decoded: 0,
  bytes: 0,
  compared: 0,
  differing: 0,
  collections: '[]',
  digest: '0'.repeat(64),
  isDone: false,
};

const lookEvery = 64;
const batchBytes = 256 << 10;

/** SHA-256 over the digest so far, the path, a zero byte and the SHA-256 of the encoded document. */
export const chainDigest = (digest: string, path: Uint8Array, document: Uint8Array): string =>
  createHash('sha256')
    .update(Buffer.from(digest, 'hex'))
    .update(path)
    .update(Buffer.of(0))
    .update(createHash('sha256').update(document).digest())
    .digest('hex');

/** Continues a walk. Errors of the live database are thrown after `onState` was told how far it came. */
export const walkDocuments = async (
  options: WalkOptions,
  before: WalkState,
  onState: (state: WalkState) => void,
): Promise<WalkState> => {
  const walk = new DocumentWalk(options, before);
  try {
    return await walk.run();
  } finally {
    onState(walk.state);
  }
};

interface VisitedDocument {
  readonly order: number;
  readonly path: string;
  readonly name: Buffer;
  readonly archived: ArchiveCursor;
  readonly live: TargetCursor | undefined;
}

class DocumentWalk {
  readonly #options: WalkOptions;
  readonly #collections: Map<string, number>;
  #state: WalkState;

  constructor(options: WalkOptions, before: WalkState) {
    this.#options = options;
    this.#state = before;
    this.#collections = new Map(JSON.parse(before.collections) as [string, number][]);
  }

  get state(): WalkState {
    return { ...this.#state, collections: JSON.stringify([...this.#collections]) };
  }

  async run(): Promise<WalkState> {
    const { archive, ranges, withTombstones = false, wants, live, signal } = this.#options;
    const { after } = this.#state;
    const rest = after === undefined ? ranges : intersection(ranges, [{ from: justAfter(JSON.parse(after) as string) }]);
    const at = live && { readTime: live.readTime, signal, batchBytes };
    const lookups =
      live?.look === 'lookup' && at ? new LiveLookupCursor(live.database, archive, { ...at, withTombstones, wants }) : undefined;
    const archived = new ArchiveCursor(archive, rest, {
      withBodies: !wants,
      withTombstones,
      withErased: true,
      through: lookups?.through,
    });
    const scanned = lookups ?? (live && at ? new LiveScanCursor(live.database, rest, at) : undefined);
    try {
      await archived.load();
      await scanned?.load();
      const isDone = await this.#merge(archived, scanned);
      this.#state = { ...this.#state, isDone };
      return this.state;
    } finally {
      await Promise.all([archived.close(), scanned?.close()]);
    }
  }

  /** False if it was ended early. */
  async #merge(archived: ArchiveCursor, live: TargetCursor | undefined): Promise<boolean> {
    const { wants, isOver } = this.#options;
    return mergeJoin({ left: archived, right: live, compare: compareNames }, async (order, at, n) => {
      const name = Buffer.from(at);
      const path = name.toString();
      if (!wants || wants(path)) await this.#visit({ order, path, name, archived, live });
      this.#state = { ...this.#state, after: JSON.stringify(path) };
      return n % lookEvery !== 0 || !(await isOver(this.state));
    });
  }

  async #visit({ order, path, name, archived, live }: VisitedDocument): Promise<void> {
    if (order > 0) return this.#find(path, 'unexpected', 'The database has a document that the archive lacks');
    if (archived.isErased) return this.#passErased(path);
    if (archived.isTombstone) {
      this.#state = { ...this.#state, compared: this.#state.compared + 1 };
      if (order === 0) this.#find(path, 'not_removed', 'The document did not exist before the test, and still exists after it');
      return;
    }
    await archived.open();
    const document = archived.document();
    const isDecoded = this.#read(path, name, document);
    if (!live || !isDecoded) return;
    const found = order === 0 ? live.document() : await this.#confirmMissing(path);
    this.#compare(path, document, found);
  }

  /** An erasure hides the document: it counts in its collection, as the manifest does, and is neither read nor compared. */
  #passErased(path: string): void {
    const id = collectionIdOf(path);
    this.#collections.set(id, (this.#collections.get(id) ?? 0) + 1);
    if (this.#options.erasedMessage !== undefined) this.#find(path, 'not_removed', this.#options.erasedMessage);
  }

  /** Decodes and digests a document of the archive. */
  #read(path: string, name: Buffer, document: Uint8Array): boolean {
    const { documents, decoded, bytes, digest } = this.#state;
    const id = collectionIdOf(path);
    this.#collections.set(id, (this.#collections.get(id) ?? 0) + 1);
    const isDecoded = isDecodable(document);
    this.#state = {
      ...this.#state,
      documents: documents + 1,
      decoded: decoded + (isDecoded ? 1 : 0),
      bytes: bytes + document.length,
      digest: chainDigest(digest, name, document),
    };
    if (!isDecoded) this.#find(path, 'unreadable', 'The document of the archive cannot be decoded');
    return isDecoded;
  }

  /** A scan may end early without an error, so what it did not send is looked up. */
  async #confirmMissing(path: string): Promise<Uint8Array | undefined> {
    const { live, signal } = this.#options;
    if (live?.look !== 'scan') return undefined;
    return (await getDocuments(live.database, [path], { readTime: live.readTime, signal })).get(path);
  }

  #compare(path: string, document: Uint8Array, found: Uint8Array | undefined): void {
    const wanted = this.#options.live?.rewrite?.(document) ?? document;
    this.#state = { ...this.#state, compared: this.#state.compared + 1 };
    if (!found) this.#find(path, 'missing', 'The archive has a document that the database lacks');
    else if (!sameFields(wanted, found)) this.#find(path, 'changed', 'The fields of the document differ');
  }

  #find(path: string, kind: FoundKind, message: string): void {
    this.#state = { ...this.#state, differing: this.#state.differing + 1 };
    this.#options.report(path, kind, message);
  }
}

const isDecodable = (document: Uint8Array): boolean => {
  try {
    restDocument(document);
    return true;
  } catch {
    return false;
  }
};
