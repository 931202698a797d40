/** An archive of given documents, a live target, and the decisions of a walk, proven as before storing them. */

import { lastKey } from '../../../../infra/local/engines/firestore/base/path-key.ts';
import type { Firestore } from '../../../../infra/local/engines/firestore/index.ts';
import { proto, type Value } from '../../../../infra/local/engines/firestore/proto/codecs.ts';
import { commitWrites, parseWrite } from '../../../../infra/local/engines/firestore/write/commit-writes.ts';
import { type Archive, compareNames, DocumentSkim, type PageEntry, ShardWriter } from '../../../../shared/archive/index.ts';
import { type FirestoreDatabase, probeSource } from '../../../../shared/firestore/index.ts';
import type { Action } from '../../../../shared/restore/plan/document-action-policy.ts';
import { type DocumentDecision, DocumentWalk, type DocumentWalkOptions } from '../../../../shared/restore/plan/document-walk.ts';
import { type RestoreScope, restoreScope, type ScopeRequest } from '../../../../shared/restore/scope/restore-scope.ts';
import { Bucket, dataKey, manifestOf, writing } from '../../builders/sample-archive.ts';
import { sourceOf, startServer } from '../../firestore/firestore-server.ts';

export type Fields = Readonly<Record<string, Value>>;
export const text = (stringValue: string): Fields => ({ text: { stringValue } });
export const encode = (value: Value): Uint8Array => proto.Value.encode(value);

const databaseOf = (projectId: string): string => `projects/${projectId}/databases/(default)`;

/** A document of the database as it encodes it; written at second `at`. */
export const documentOf = (
  projectId: string,
  { path, fields, at = 1_600_000_000 }: { readonly path: string; readonly fields: Fields; readonly at?: number | undefined },
): Buffer => {
  const time = { seconds: BigInt(at), nanos: 5_000 };
  const encoded = new Map(Object.entries(fields).map(([field, value]) => [field, encode(value)]));
  const name = `${databaseOf(projectId)}/documents/${path}`;
  return Buffer.from(proto.Document.encode({ name, fields: encoded, createTime: time, updateTime: time }));
};

/** By path; undefined is a tombstone. */
export type Records = Readonly<Record<string, Fields | Uint8Array | undefined>>;

export interface BuiltArchive {
  readonly archive: Archive;
  readonly bucket: Bucket;
}

/** Each index object has `perShard` records. */
export const archiveOf = (projectId: string, records: Records, perShard = Number.POSITIVE_INFINITY): BuiltArchive => {
  const root = `${databaseOf(projectId)}/documents/`;
  const sorted = Object.entries(records)
    .map(([path, value]) => ({ name: Buffer.from(root + path), path, value }))
    .sort((a, b) => compareNames(a.name, b.name));
  const bucket = new Bucket();
  const objects = [];
  const pages: PageEntry[] = [];
  const skim = new DocumentSkim();
  for (let at = 0, number = 0; at === 0 || at < sorted.length; at += perShard, number++) {
    const writer = new ShardWriter(number, writing(`shard ${number}`));
    for (const { name, path, value } of sorted.slice(at, at + perShard)) {
      const marks = {
        nameStart: 0,
        nameEnd: name.length,
        createdSeconds: 0,
        createdNanos: 0,
        updatedSeconds: 9,
        updatedNanos: 0,
      };
      if (value === undefined) writer.tombstone(name, marks);
      else {
        const bytes = value instanceof Uint8Array ? value : documentOf(projectId, { path, fields: value as Fields });
        skim.read(bytes, 0, bytes.length);
        writer.document(bytes, 0, bytes.length, skim);
      }
    }
    const { chunk, index, pages: more } = writer.finish();
    if (chunk) bucket.put('bkp_01', chunk.name, Buffer.concat(writer.takeChunk()));
    bucket.put('bkp_01', index.name, Buffer.concat(writer.takeIndex()));
    objects.push(...(chunk ? [chunk] : []), index);
    pages.push(...more);
    if (perShard === Number.POSITIVE_INFINITY) break;
  }
  const tombstones = sorted.filter(({ value }) => value === undefined).length;
  const counts = { documents: sorted.length - tombstones, tombstones, users: 0 };
  const shard = { chunk: undefined, index: objects[0]!, pages, records: sorted.length, kept: [] };
  const manifest = manifestOf(shard, { source: databaseOf(projectId), counts, objects, pages });
  return { archive: bucket.open(manifest, () => dataKey), bucket };
};

export const server: Firestore = await startServer();
let targets = 0;

export class Target {
  readonly projectId = `target-${++targets}`;
  readonly source: FirestoreDatabase = sourceOf(server.url, { projectId: this.projectId });

  get #database() {
    return server.databases.open({ projectId: this.projectId, databaseId: '(default)' });
  }

  /** Undefined deletes a document. */
  async put(documents: Readonly<Record<string, Fields | undefined>>): Promise<void> {
    const name = { projectId: this.projectId, databaseId: '(default)' };
    const writes = Object.entries(documents).map(([path, fields]) =>
      fields
        ? parseWrite(proto.Write.encode({ update: documentOf(this.projectId, { path, fields }) }), name)
        : parseWrite(proto.Write.encode({ delete: `${databaseOf(this.projectId)}/documents/${path}` }), name),
    );
    for (let n = 0; n < writes.length; n += 500) await commitWrites(this.#database, writes.slice(n, n + 500));
  }

  /** All documents, byte for byte. */
  live(): Record<string, Buffer> {
    const all = [...this.#database.scan('', lastKey, { at: this.#database.readTime() })];
    return Object.fromEntries(all.map(({ path, bytes }) => [path, Buffer.from(bytes)]));
  }
}

export interface WalkResult {
  readonly decided: readonly (readonly [path: string, action: Action])[];
  /** Live documents handed to the visitor. */
  readonly live: Readonly<Record<string, Buffer>>;
  readonly ofBackup: ReadonlySet<string>;
  readonly isWhole: boolean;
  readonly reached: string | undefined;
  readonly reads: number;
}

export interface WalkInput
  extends Partial<Pick<DocumentWalkOptions, 'bound' | 'isOver' | 'signal' | 'partialRestore'>>,
    Partial<ScopeRequest> {
  readonly documents?: readonly string[];
  readonly scope?: RestoreScope;
  /** The collections that the backup covers. */
  readonly covered?: { collections: readonly string[]; excludedCollections: readonly string[] };
  /** Called for each decision. */
  readonly onVisit?: (decision: DocumentDecision) => Promise<void> | undefined;
}

export const everything = { collections: ['*'], excludedCollections: [] };

export const walk = async ({ archive }: BuiltArchive, target: Target, input: WalkInput = {}): Promise<WalkResult> => {
  const {
    bound = {},
    isOver,
    partialRestore,
    documents,
    covered = everything,
    onVisit,
    signal = new AbortController().signal,
    ...more
  } = input;
  const request: ScopeRequest = {
    mergeMode: 'overwrite',
    collections: ['*'],
    includeSubcollections: true,
    undoOf: null,
    ...more,
  };
  const scope = input.scope ?? restoreScope(request, covered, documents);
  const { readTime } = await probeSource(target.source);
  const options = {
    archive,
    target: target.source,
    scope,
    bound,
    mode: request.mergeMode,
    readTime,
    signal,
    isOver,
    partialRestore,
  };
  const walking = new DocumentWalk({ ...options, isUndo: request.undoOf !== null });
  const decided: [string, Action][] = [];
  const live: Record<string, Buffer> = {};
  const ofBackup = new Set<string>();
  const isWhole = await walking.run((decision) => {
    const path = decision.name.toString();
    decided.push([path, decision.action]);
    if (decision.live) live[path] = Buffer.from(decision.live);
    if (decision.isOfBackup) ofBackup.add(path);
    return onVisit?.(decision);
  });
  await walking.prove(signal);
  return { decided, live, ofBackup, isWhole, reached: walking.reached, reads: walking.reads };
};
