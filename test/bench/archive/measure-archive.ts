/**
 * Cost of the archive format, compared with the hardware limit (zstd 3, AES-256-GCM and SHA-256 of bytes in memory) and with
 * gzip NDJSON. Rates use CPU time of the thread, so that other load on the machine hardly changes them.
 */
import { fork } from 'node:child_process';
import { createCipheriv, createHash, createSecretKey, randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { constants, gzipSync, zstdCompressSync } from 'node:zlib';
import {
  Archive,
  compareNames,
  DocumentSkim,
  type Manifest,
  type ObjectEntry,
  readChunk,
  type SelfCheck,
  ShardWriter,
} from '../../../shared/archive/index.ts';
import { ArchiveCursor, mergeJoin } from '../../../shared/stored-backup/index.ts';
import { fixed, judged, median, printTable } from '../print.ts';
import type { Large } from './large-archive.ts';
import { type Documents, makeDocuments, source } from './sample-documents.ts';

const identity = { organization: 'org_bench', project: 'prj_bench', backup: 'bkp_bench' };
const dataKey = randomBytes(32);
const rounds = 9;
const writingGoal = 0.6;
const storedGoal = 1.06;
const sizes = [200_000, 1_000_000];
/** `memory`: peak at the largest size ÷ peak at the smallest. `share`: bytes read for one document. `incremental`: size ÷ full backup. */
const largeGoals = { memory: 1.15, share: 0.005, reads: 10, incremental: 0.03 };

export const measureArchive = async (dir: string): Promise<boolean> => {
  const documents = makeDocuments(40_000);
  const isFast = await measureRates(documents);
  const isSmall = measureSize(documents);
  return (await measureLarge(documents, dir)) && isFast && isSmall;
};

const measureRates = async (documents: Documents): Promise<boolean> => {
  const count = documents.ends.length;
  const written = writeAll(documents, 'none');
  const { chunk, stored } = written;
  const archive = openWritten(written, count);
  const works: readonly (readonly [string, () => unknown])[] = [
    ['skim', () => eachDocument(documents, () => undefined)],
    ['skim and write, self-check none', () => writeAll(documents, 'none')],
    ['skim and write, self-check sealed (default)', () => writeAll(documents, 'sealed')],
    ['skim and write, self-check restored', () => writeAll(documents, 'restored')],
    ['read and prove a chunk', () => readAll(stored, chunk, false)],
    ['read, prove and rebuild every document', () => readAll(stored, chunk, true)],
    ['mergeJoin with itself, names and times', () => joinAll(archive, count)],
  ];
  // The limit is measured before each run, because the speed of a shared machine changes within seconds.
  const limits: number[] = [];
  const took = new Map(works.map(([name]): [string, { seconds: number; ratio: number }[]] => [name, []]));
  for (let round = 0; round < rounds; round++)
    for (const [name, work] of works) {
      const limit = await seconds(() => limitOf(documents));
      const own = await seconds(work);
      limits.push(limit);
      took.get(name)?.push({ seconds: own, ratio: limit / own });
    }
  let met = true;
  const rows = [...took].map(([name, runs]) => {
    const ratio = median(runs.map((run) => run.ratio));
    const isGoal = name.includes('default');
    if (isGoal) met = ratio >= writingGoal;
    return [
      name,
      show(count / median(runs.map((run) => run.seconds))),
      fixed(ratio),
      isGoal ? judged(met, `>= ${writingGoal}`) : '',
    ];
  });
  rows.unshift(['limit: zstd 3 of 1 MiB pieces, AES, SHA-256', show(count / median(limits)), '1.00', '']);
  printTable(
    `Archive format, ${show(count)} documents of ${Math.round(documents.bytes.length / count)} bytes, one core`,
    ['work', 'documents/s', '÷ limit', 'goal'],
    rows,
  );
  return met;
};

const measureSize = (documents: Documents): boolean => {
  const count = documents.ends.length;
  const { chunk, index } = writeAll(documents, 'none');
  const bytes = (chunk.size + index.size) / count;
  const gzip = gzipSync(documents.ndjson, { level: 6 }).length / count;
  const met = bytes / gzip <= storedGoal;
  printTable(
    'Stored bytes',
    ['form', 'B/document', '÷ gzip NDJSON', 'goal'],
    [
      ['gzip-6 of NDJSON in the form of the REST API', fixed(gzip, 1), '1.00', ''],
      ['archive with its index', fixed(bytes, 1), fixed(bytes / gzip), judged(met, `<= ${storedGoal}`)],
    ],
  );
  return met;
};

const measureLarge = async (documents: Documents, dir: string): Promise<boolean> => {
  writeFileSync(join(dir, 'documents'), documents.bytes);
  writeFileSync(join(dir, 'ends'), documents.ends);
  const results: Large[] = [];
  for (const size of sizes)
    results.push(
      await new Promise<Large>((done, failed) =>
        fork(new URL('large-archive.ts', import.meta.url), [dir, String(size)])
          .once('message', (result) => done(result as Large))
          .once('exit', (code) => failed(new Error(`ended with ${code}`))),
      ),
    );
  const [small, large] = [results[0], results.at(-1)];
  if (!small || !large) return false;
  const isFlat = large.peakMib / small.peakMib <= largeGoals.memory;
  const isNear = large.share <= largeGoals.share && large.reads <= largeGoals.reads;
  const isThin = small.incremental <= largeGoals.incremental;
  printTable(
    'Large backups',
    ['documents', 'B/document', 'peak memory', 'one document', 'incremental after 1 %'],
    [
      ...results.map(({ count, bytesEach, peakMib, reads, share, incremental }) => [
        ...[show(count), fixed(bytesEach, 1), `${peakMib} MiB`, `${reads} reads, ${fixed(100 * share, 3)} %`],
        incremental > 0 ? `${fixed(100 * incremental)} %` : '',
      ]),
      [
        ...['goal', '', judged(isFlat, `<= ${largeGoals.memory} ×`)],
        ...[
          judged(isNear, `<= ${largeGoals.reads}, <= ${100 * largeGoals.share} %`),
          judged(isThin, `<= ${100 * largeGoals.incremental} %`),
        ],
      ],
    ],
  );
  return isFlat && isNear && isThin;
};

const limitOf = ({ bytes }: Documents): void => {
  const sha256 = createHash('sha256');
  const key = createSecretKey(dataKey);
  const params = { [constants.ZSTD_c_compressionLevel]: 3 };
  for (let at = 0; at < bytes.length; at += 1 << 20) {
    const packed = zstdCompressSync(bytes.subarray(at, at + (1 << 20)), { chunkSize: 2 << 20, params });
    const cipher = createCipheriv('aes-256-gcm', key, randomBytes(12), { authTagLength: 16 });
    sha256.update(cipher.update(packed));
    cipher.final();
    sha256.update(cipher.getAuthTag());
  }
};

const skim = new DocumentSkim();
const eachDocument = ({ bytes, ends }: Documents, use: (start: number, end: number) => void): void => {
  for (let i = 0, start = 0; i < ends.length; i++) {
    const end = ends[i] ?? 0;
    skim.read(bytes, start, end);
    use(start, end);
    start = end;
  }
};

const writeAll = (documents: Documents, check: SelfCheck) => {
  const writer = new ShardWriter(0, { identity, dataKey, random: randomBytes, check });
  eachDocument(documents, (start, end) => writer.document(documents.bytes, start, end, skim));
  const { chunk, index, pages } = writer.finish();
  if (!chunk) throw new Error('no chunk was written');
  return { chunk, index, pages, stored: writer.takeChunk(), storedIndex: writer.takeIndex() };
};

const readAll = async (stored: readonly Buffer[], entry: ObjectEntry, rebuild: boolean): Promise<void> => {
  let bytes = 0;
  for await (const { leaf } of readChunk(stored, { identity, name: entry.name, dataKey, entry }))
    for (let slot = 0; slot < leaf.count; slot++) bytes += rebuild ? leaf.content(slot).length : leaf.body(slot).length;
  if (bytes === 0) throw new Error('no bytes were read');
};

/** An archive in memory. */
const openWritten = ({ chunk, index, pages, stored, storedIndex }: ReturnType<typeof writeAll>, documents: number): Archive => {
  const objects = new Map([
    [chunk.name, Buffer.concat(stored)],
    [index.name, Buffer.concat(storedIndex)],
  ]);
  const manifest: Manifest = {
    ...{ formatVersion: 2, requiredFeatures: [], ...identity, parent: null, source, readTime: '2026-01-01T00:00:00Z' },
    counts: { documents, tombstones: 0, users: 0 },
    ...{ collections: [], objects: [chunk, index], pages, notes: {} },
  };
  return new Archive(manifest, {
    dataKey: () => dataKey,
    fetch: async ({ name }, { offset, length }) => objects.get(name)?.subarray(offset, offset + length) ?? Buffer.alloc(0),
  });
};

const joinAll = async (archive: Archive, expected: number): Promise<void> => {
  const [left, right] = [new ArchiveCursor(archive, [{}]), new ArchiveCursor(archive, [{}])];
  await left.load();
  await right.load();
  let equal = 0;
  await mergeJoin({ left, right, compare: compareNames }, (order) => {
    if (order === 0 && left.seconds === right.seconds && left.nanos === right.nanos) equal += 1;
    return true;
  });
  if (equal !== expected) throw new Error(`expected ${expected} equal documents, found ${equal}`);
};

const seconds = async (work: () => unknown): Promise<number> => {
  const start = process.threadCpuUsage();
  await work();
  const { user, system } = process.threadCpuUsage(start);
  return (user + system) / 1e6;
};

const show = (number: number): string => Math.round(number).toLocaleString('en');
