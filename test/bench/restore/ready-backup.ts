/** Writes a backup with the archive writer, without a source database. */
import { createHash, randomBytes } from 'node:crypto';
import { SeededRandom } from '../../../infra/local/engines/firestore/seed/seeded-random.ts';
import { DocumentSkim, type Manifest, objectName, ShardWriter, sealManifest } from '../../../shared/archive/index.ts';
import type { ObjectStore, Upload } from '../../../shared/destination/index.ts';
import { newId } from '../../../shared/platform/index.ts';
import { type Documents, makeDocuments, nameOf, source } from '../archive/sample-documents.ts';

export interface MadeBackup {
  readonly organization: string;
  readonly project: string;
  readonly id: string;
  readonly manifestDigest: string;
  /** Bytes of all objects. */
  readonly size: number;
  /** Path of the middle document. */
  readonly middle: string;
}

const handOverBytes = 8 << 20;

/** Repeats the given documents under new names until there are `count`. If `count` documents are given, they keep their names. */
export const makeArchive = async (
  store: ObjectStore,
  count: number,
  documents: Documents = makeDocuments(Math.min(count, 20_000)),
): Promise<MadeBackup> => {
  const identity = { organization: newId('organization'), project: newId('project'), backup: newId('backup') };
  const writing = { identity, dataKey: keyOf(identity.backup), random: randomBytes };
  const writer = new ShardWriter(0, writing);
  const [chunk, index] = [store.upload(objectName('chunk', 0, 0)), store.upload(objectName('index', 0, 0))];
  const flush = async (atLeast: number): Promise<void> => {
    if (writer.pendingBytes.chunk >= atLeast) await chunk.write(writer.takeChunk());
    if (writer.pendingBytes.index >= atLeast) await index.write(writer.takeIndex());
  };
  const skim = new DocumentSkim();
  const dice = new SeededRandom(9);
  const isAsGiven = count === documents.ends.length;
  let middle = '';
  for (let i = 0; i < count; i++) {
    const at = i % documents.ends.length;
    const given = documents.bytes.subarray(documents.ends[at - 1] ?? 0, documents.ends[at] ?? 0);
    const bytes = isAsGiven ? given : renamed(given, nameOf(i, count, dice), skim);
    skim.read(bytes, 0, bytes.length);
    writer.document(bytes, 0, bytes.length, skim);
    if (i === count >> 1) middle = bytes.toString('utf8', skim.nameStart + `${source}/documents/`.length, skim.nameEnd);
    if (i % 64 === 0) await flush(handOverBytes);
  }
  const shard = writer.finish();
  await flush(0);
  await Promise.all([chunk, index].map((upload: Upload) => upload.finish()));
  const manifest: Manifest = {
    ...{ formatVersion: 2, requiredFeatures: [], ...identity, parent: null, source },
    readTime: '2026-01-01T00:00:00.000000Z',
    counts: { documents: shard.records, tombstones: 0, users: 0 },
    collections: [{ id: 'items', documents: shard.records }],
    objects: [...(shard.chunk ? [shard.chunk] : []), shard.index],
    pages: shard.pages,
    notes: {},
  };
  const sealed = sealManifest(manifest, writing);
  await store.put('manifest', sealed.bytes);
  return {
    organization: identity.organization,
    project: identity.project,
    id: identity.backup,
    manifestDigest: sealed.digest,
    size: (shard.chunk?.size ?? 0) + shard.index.size + sealed.bytes.length,
    middle,
  };
};

/** Gives the document another name. */
const renamed = (document: Buffer, name: string, skim: DocumentSkim): Buffer => {
  skim.read(document, 0, document.length);
  const bytes = Buffer.from(name);
  const head = bytes.length < 128 ? [0x0a, bytes.length] : [0x0a, (bytes.length & 0x7f) | 0x80, bytes.length >> 7];
  return Buffer.concat([Buffer.from(head), bytes, document.subarray(skim.nameEnd)]);
};

/** Derives the data key from the backup id, so that another process can open the backup. */
export const keyOf = (name: string): Buffer => createHash('sha256').update(name).digest();
