/**
 * What the archive format costs beside the limit of the core (zstd 3, AES-256-GCM and SHA-256 of ready bytes) and beside
 * gzip NDJSON, in one run. Rates are by processor time of the thread, so that a busy machine changes them little.
 */
import { fork } from 'node:child_process';
import { createCipheriv, createHash, createSecretKey, randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { constants, gzipSync, zstdCompressSync } from 'node:zlib';
import { DocumentSkim, type ObjectEntry, readChunk, type SelfCheck, ShardWriter } from '../../shared/archive/index.ts';
import { type Documents, makeDocuments } from './archive-data.ts';

const identity = { organization: 'org_bench', project: 'prj_bench', backup: 'bkp_bench' };
const dataKey = randomBytes(32);
const rounds = 3;

/** Prints the table of rates and sizes, then that of large backups. */
export const benchArchive = async (): Promise<void> => {
  const documents = makeDocuments(40_000);
  const count = documents.ends.length;
  console.log(`archive format, ${show(count)} documents of ${Math.round(documents.bytes.length / count)} bytes, one core`);
  const limit = await seconds(() => limitOf(documents));
  const row = (what: string, took: number): void =>
    console.log(
      `  ${what.padEnd(48)}${show(count / took).padStart(10)} documents/s${(limit / took).toFixed(2).padStart(8)} of the limit`,
    );
  row('limit: zstd 3 of 1 MiB pieces, AES, SHA-256', limit);
  row('skimming', await seconds(() => eachDocument(documents, () => undefined)));
  for (const check of ['none', 'sealed', 'restored'] as const)
    row(`skimming and writing, self-check ${check}`, await seconds(() => writeAll(documents, check)));
  const { chunk, index, stored } = writeAll(documents, 'none');
  row('reading and proving a chunk', await seconds(() => readAll(stored, chunk, false)));
  row('the same, every document rebuilt', await seconds(() => readAll(stored, chunk, true)));
  const gzip = gzipSync(documents.ndjson, { level: 6 }).length / count;
  const bytes = (chunk.size + index.size) / count;
  console.log(
    `  stored ${bytes.toFixed(1)} B/document with the index, ${(bytes / gzip).toFixed(3)} of gzip-6 NDJSON (${gzip.toFixed(1)} B)`,
  );
  const dir = mkdtempSync(join(tmpdir(), 'archive-'));
  writeFileSync(join(dir, 'documents'), documents.bytes);
  writeFileSync(join(dir, 'ends'), documents.ends);
  for (const size of ['200000', '1000000'])
    await new Promise((done) => fork(new URL('archive-large.ts', import.meta.url), [dir, size]).once('exit', done));
  rmSync(dir, { recursive: true, force: true });
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
  const { chunk, index } = writer.finish();
  if (!chunk) throw new Error('nothing was written');
  return { chunk, index, stored: writer.takeChunk() };
};

const readAll = async (stored: readonly Buffer[], entry: ObjectEntry, rebuild: boolean): Promise<void> => {
  let bytes = 0;
  for await (const { leaf } of readChunk(stored, { identity, name: entry.name, dataKey, entry }))
    for (let slot = 0; slot < leaf.count; slot++) bytes += rebuild ? leaf.content(slot).length : leaf.body(slot).length;
  if (bytes === 0) throw new Error('nothing was read');
};

/** The least processor time of a few rounds. */
const seconds = async (work: () => unknown): Promise<number> => {
  let least = Number.POSITIVE_INFINITY;
  for (let round = 0; round < rounds; round++) {
    const start = process.threadCpuUsage();
    await work();
    const { user, system } = process.threadCpuUsage(start);
    least = Math.min(least, (user + system) / 1e6);
  }
  return least;
};

const show = (rate: number): string => Math.round(rate).toLocaleString('en');

if (import.meta.main) await benchArchive();
