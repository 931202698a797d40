/**
 * Child process: writes a backup of `argv[3]` documents, made from the sample in the folder `argv[2]`. Measures memory while
 * writing, the cost of reading one document, and the size of an incremental backup.
 */
import { randomBytes } from 'node:crypto';
import { closeSync, openSync, readFileSync, readSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { SeededRandom } from '../../../infra/local/engines/firestore/seed/seeded-random.ts';
import {
  Archive,
  DocumentSkim,
  type Manifest,
  openManifest,
  type Shard,
  ShardWriter,
  sealManifest,
  streamLeaves,
} from '../../../shared/archive/index.ts';
import { nameOf, source } from './sample-documents.ts';

/** Measurements of one such backup. */
export interface Large {
  readonly count: number;
  readonly bytesEach: number;
  readonly peakMib: number;
  /** Requests to read one document, including the manifest. */
  readonly reads: number;
  /** Bytes read for one document, as a fraction of the backup. */
  readonly share: number;
  /** Bytes of the incremental backup ÷ the full one; 0 if none was made. */
  readonly incremental: number;
}

const dir = process.argv[2] ?? '.';
const count = Number(process.argv[3] ?? 200_000);
const files = new Map<string, number>();
const dataKey = randomBytes(32);
const identityOf = (backup: string) => ({ organization: 'org_bench', project: 'prj_bench', backup });
const writingOf = (backup: string) => ({ identity: identityOf(backup), dataKey, random: randomBytes });
const skim = new DocumentSkim();

/** Simulates an upload in parts of 8 MiB. */
const store = (backup: string, name: string, pieces: readonly Buffer[]): void => {
  const key = `${backup} ${name}`;
  const file = files.get(key) ?? openSync(join(dir, key.replaceAll('/', '-')), 'w+');
  files.set(key, file);
  for (const piece of pieces) writeSync(file, piece);
};
const flush = (backup: string, writer: ShardWriter, atLeast: number): void => {
  if (writer.pendingBytes.chunk >= atLeast) store(backup, 'chunk/00000000-0000', writer.takeChunk());
  if (writer.pendingBytes.index >= atLeast) store(backup, 'index/00000000-0000', writer.takeIndex());
};

let fetches = 0;
let fetched = 0;
const open = (manifest: Manifest): Archive =>
  new Archive(manifest, {
    dataKey: () => dataKey,
    fetch: async ({ backup, name }, { offset, length }) => {
      const bytes = Buffer.allocUnsafe(length);
      readSync(files.get(`${backup} ${name}`) ?? -1, bytes, 0, length, offset);
      fetches += 1;
      fetched += length;
      return bytes;
    },
  });

const manifestOf = (backup: string, shard: Shard, others: Manifest['objects']): Manifest => ({
  ...{ formatVersion: 2, requiredFeatures: [], ...identityOf(backup), parent: null, source, readTime: '2026-01-01T00:00:00Z' },
  counts: { documents: shard.records, tombstones: 0, users: 0 },
  collections: [{ id: 'items', documents: shard.records }],
  objects: [...(shard.chunk ? [shard.chunk] : []), shard.index, ...others],
  pages: shard.pages,
  notes: {},
});

const writeFull = (): { readonly shard: Shard; readonly wanted: Buffer } => {
  const bytes = readFileSync(join(dir, 'documents'));
  const ends = new Uint32Array(new Uint8Array(readFileSync(join(dir, 'ends'))).buffer);
  const scratch = Buffer.alloc(64 * 1024);
  const writer = new ShardWriter(0, writingOf('full'));
  const dice = new SeededRandom(9);
  let wanted = Buffer.alloc(0);
  for (let i = 0; i < count; i++) {
    const at = i % ends.length;
    const [start, end] = [ends[at - 1] ?? 0, ends[at] ?? 0];
    skim.read(bytes, start, end);
    // Gives the document another name.
    const name = nameOf(i, count, dice);
    const nameBytes = scratch.write(name, 3);
    scratch.set([0x0a, (nameBytes & 0x7f) | 0x80, nameBytes >> 7]);
    const length = 3 + nameBytes + bytes.copy(scratch, 3 + nameBytes, skim.nameEnd, end);
    const isShort = nameBytes < 128;
    if (isShort) scratch.set([0x0a, nameBytes], 1);
    skim.read(scratch, isShort ? 1 : 0, length);
    writer.document(scratch, isShort ? 1 : 0, length, skim);
    if (i === count >> 1) wanted = Buffer.from(name);
    flush('full', writer, 8 << 20);
  }
  const shard = writer.finish();
  flush('full', writer, 0);
  return { shard, wanted };
};

/** One document in a hundred has changed; the others refer to the parent. */
const writeIncremental = async (parent: Archive): Promise<number> => {
  const writer = new ShardWriter(0, writingOf('next'));
  const dice = new SeededRandom(5);
  for await (const { segment, leaf } of streamLeaves(parent)) {
    for (let slot = segment.start; slot < segment.start + segment.count; slot++) {
      if (dice.below(100) !== 0) writer.keep(segment, slot, leaf.name(slot));
      else {
        const bytes = leaf.content(slot);
        skim.read(bytes, 0, bytes.length);
        writer.document(bytes, 0, bytes.length, skim);
      }
    }
  }
  const shard = writer.finish();
  const { bytes } = sealManifest(manifestOf('next', shard, parent.manifest.objects.slice(0, 1)), writingOf('next'));
  return (shard.chunk?.size ?? 0) + shard.index.size + bytes.length;
};

const { shard, wanted } = writeFull();
const peakMib = Math.round(process.resourceUsage().maxRSS / 1024);
const sealed = sealManifest(manifestOf('full', shard, []), writingOf('full'));
const manifest = await openManifest(sealed.bytes, { identity: identityOf('full'), dataKey, digest: sealed.digest });
const archive = open(manifest);
const total = (shard.chunk?.size ?? 0) + shard.index.size + sealed.bytes.length;
const found = await archive.find(wanted);
if (!found?.leaf.name(found.slot).equals(wanted)) throw new Error('document not found in the archive');
const share = (fetched + sealed.bytes.length) / total;
const result: Large = {
  ...{ count, bytesEach: total / count, peakMib, reads: fetches + 1, share },
  // Only for sizes where it is quick.
  incremental: count <= 200_000 ? (await writeIncremental(archive)) / total : 0,
};
for (const file of files.values()) closeSync(file);
process.send?.(result);
