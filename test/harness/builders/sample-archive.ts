/** Deterministic documents, keys and random bytes, and whole backups of them. */
import { rejects, throws } from 'node:assert/strict';
import { createHash } from 'node:crypto';
import {
  Archive,
  ArchiveError,
  type ArchiveErrorCode,
  DocumentSkim,
  type Identity,
  type Manifest,
  objectName,
  openManifest,
  type Shard,
  type ShardWriter,
  sealManifest,
  type WriterOptions,
} from '../../../shared/archive/index.ts';
import { writeTimestampField } from '../../../shared/archive/leaf/protobuf-timestamp.ts';
import { compareNames } from '../../../shared/archive/name/compare-names.ts';

export const identity: Identity = { organization: 'org_01', project: 'prj_01', backup: 'bkp_01' };
export const dataKey = createHash('sha256').update('a data key').digest();
export const root = 'projects/p/databases/(default)/documents';

/** Deterministic random bytes: a hash of a counter. */
export const chance = (seed: string): ((bytes: number) => Buffer) => {
  let count = 0;
  return (bytes) => {
    const parts: Buffer[] = [];
    while (parts.length * 32 < bytes) parts.push(createHash('sha256').update(`${seed} ${count++}`).digest());
    return Buffer.concat(parts).subarray(0, bytes);
  };
};

export const writing = (seed = 'sample', more: Partial<WriterOptions> = {}): WriterOptions => ({
  identity,
  dataKey,
  random: chance(seed),
  ...more,
});

export interface Time {
  readonly seconds: number;
  readonly nanos: number;
}

const varint = (value: number): Buffer => {
  const bytes: number[] = [];
  let rest = value;
  for (; rest > 127; rest = Math.floor(rest / 128)) bytes.push((rest % 128) | 128);
  return Buffer.from([...bytes, rest]);
};
/** A length-delimited field of a protobuf message. */
export const field = (tag: number, content: Buffer): Buffer =>
  Buffer.concat([Buffer.from([tag]), varint(content.length), content]);
const timestamp = (tag: number, { seconds, nanos }: Time): Buffer => {
  const out = Buffer.alloc(32);
  return out.subarray(0, writeTimestampField(out, 0, tag, seconds, nanos));
};

/** An encoded google.firestore.v1.Document with one text field. */
export const documentOf = (
  name: string,
  { text, created, updated }: { readonly text: string; readonly created: Time; readonly updated: Time },
): Buffer => {
  const value = field(0x8a, Buffer.from(text));
  // The number of the text field is 17, a two-byte tag.
  const stringValue = Buffer.concat([value.subarray(0, 1), Buffer.from([1]), value.subarray(1)]);
  const entry = Buffer.concat([field(0x0a, Buffer.from('text')), field(0x12, stringValue)]);
  return Buffer.concat([field(0x0a, Buffer.from(name)), field(0x12, entry), timestamp(0x1a, created), timestamp(0x22, updated)]);
};

export interface Sample {
  readonly name: Buffer;
  readonly bytes: Buffer;
  readonly updated: Time;
}

/** Documents in name order; every third was updated after its creation. */
export const samples = (count: number, options: { readonly textBytes?: number; readonly at?: number } = {}): Sample[] => {
  const { textBytes = 40, at = 1_700_000_000 } = options;
  const random = chance('documents');
  return Array.from({ length: count }, (_, i) => {
    const name = `${root}/things/${String(i).padStart(7, '0')}${i % 7 === 6 ? '/parts/é' : ''}`;
    const created = { seconds: at + i, nanos: (i * 1_234_567) % 1_000_000_000 };
    const updated = i % 3 === 0 ? { seconds: at + 9_000 + i, nanos: 123_456_000 } : created;
    const text = random(Math.ceil(textBytes / 2))
      .toString('hex')
      .slice(0, textBytes);
    return { name: Buffer.from(name), bytes: documentOf(name, { text, created, updated }), updated };
  }).sort((a, b) => compareNames(a.name, b.name));
};

const skim = new DocumentSkim();
/** Adds documents like a backup. */
export const addAll = (writer: Pick<ShardWriter, 'document'>, documents: readonly Sample[]): void => {
  for (const { bytes } of documents) {
    skim.read(bytes, 0, bytes.length);
    writer.document(bytes, 0, bytes.length, skim);
  }
};

export const manifestOf = (shard: Shard, more: Partial<Manifest> = {}): Manifest => ({
  formatVersion: 2,
  requiredFeatures: [],
  ...identity,
  parent: null,
  source: 'projects/p/databases/(default)',
  readTime: '2026-01-02T03:04:05.678901Z',
  counts: { documents: shard.records, tombstones: 0, users: 0 },
  collections: [{ id: 'things', documents: shard.records }],
  objects: [...(shard.chunk ? [shard.chunk] : []), shard.index],
  pages: shard.pages,
  notes: {},
  ...more,
});

/** A bucket: objects by backup and name. */
export class Bucket {
  readonly objects = new Map<string, Buffer>();
  fetches: { readonly name: string; readonly length: number }[] = [];

  put(backup: string, name: string, bytes: Buffer): void {
    this.objects.set(`${backup} ${name}`, bytes);
  }

  get(backup: string, name: string): Buffer {
    const bytes = this.objects.get(`${backup} ${name}`);
    if (!bytes) throw new Error(`no object ${name}`);
    return bytes;
  }

  open(manifest: Manifest, keys: (backup: string) => Buffer = () => dataKey, caches = false): Archive {
    return new Archive(manifest, {
      dataKey: keys,
      leafCacheBytes: caches ? 24 << 20 : undefined,
      fetch: async ({ backup, name }, { offset, length }) => {
        this.fetches.push({ name, length });
        return this.get(backup, name).subarray(offset, offset + length);
      },
    });
  }
}

/** Completes a shard, stores its objects and a manifest, and reads the manifest back. */
export const settle = async (
  bucket: Bucket,
  {
    writer,
    options,
    more = {},
  }: { readonly writer: ShardWriter; readonly options: WriterOptions; readonly more?: Partial<Manifest> | undefined },
) => {
  const shard = writer.finish();
  const { backup } = options.identity;
  if (shard.chunk) bucket.put(backup, shard.chunk.name, Buffer.concat(writer.takeChunk()));
  bucket.put(backup, shard.index.name, Buffer.concat(writer.takeIndex()));
  const sealed = sealManifest(manifestOf(shard, { ...options.identity, ...more }), options);
  bucket.put(backup, 'manifest', sealed.bytes);
  const opened = await openManifest(sealed.bytes, { ...options, digest: sealed.digest });
  return { shard, sealed, manifest: opened, archive: bucket.open(opened) };
};

export const chunkName = objectName('chunk', 0);
export const indexName = objectName('index', 0);

export const all = async <T>(source: AsyncIterable<T>): Promise<T[]> => {
  const found: T[] = [];
  for await (const one of source) found.push(one);
  return found;
};

const isCode = (codes: readonly ArchiveErrorCode[]) => (error: unknown) => {
  if (error instanceof ArchiveError && codes.includes(error.code)) return true;
  throw new Error(`expected ${codes.join(' or ')}, got ${error instanceof ArchiveError ? error.code : String(error)}`, {
    cause: error,
  });
};
export const refuses = (work: Promise<unknown> | (() => Promise<unknown>), ...codes: ArchiveErrorCode[]): Promise<void> =>
  rejects(work, isCode(codes));
export const refusesNow = (work: () => unknown, ...codes: ArchiveErrorCode[]): void => throws(work, isCode(codes));
