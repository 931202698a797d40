/**
 * Documents per second of a restore into an empty embedded Firestore without a rate limit: read from the backup, decrypted,
 * decompressed, joined with the journal, rewritten, written and recorded. Compared with the official client's BulkWriter
 * without throttling, which gets decoded documents. Then the restore of one document out of a million, and memory by size.
 */
import { join } from 'node:path';
import type { Child } from '../backup/bench-processes.ts';
import { fixed, type Goal, goalColumns, goalRow, judged, median, printTable, reaches, whole } from '../print.ts';
import { measureImporters } from './measure-importers.ts';
import type { Order, Took } from './restore-process.ts';
import { child, Server } from './target-server.ts';

export const restoreGoals = {
  same: { must: 5, aim: 8, kind: 'least' },
  other: { must: 4, aim: 6, kind: 'least' },
  ranges: { must: 10, aim: 8, kind: 'most' },
  share: { must: 0.5, aim: 0.25, kind: 'most' },
  growth: { must: 1.15, aim: 1.05, kind: 'most' },
} as const satisfies Record<string, Goal>;

const documents = Number(process.env.BENCH_DOCUMENTS ?? 20_000);
const rounds = Number(process.env.BENCH_ROUNDS ?? 3);
const [many, large] = [1_000_000, 100_000];
/** Other tools fail with 20,000, or take minutes. */
const importedDocuments = 5_000;

/** Makes a backup of `count` documents, and starts a process that restores it. */
const restorer = async (dir: string, count: number): Promise<Child> => {
  const folder = join(dir, `restore-${count}-${++folders}`);
  const maker = child('restore/restore-process.ts', 'make', folder, String(count));
  const made = await maker.heard<object>();
  maker.end();
  return child('restore/restore-process.ts', 'run', folder, JSON.stringify(made));
};
let folders = 0;

export const measureRestore = async (dir: string): Promise<boolean> => {
  const server = new Server();
  try {
    const url = await server.url;
    const met = [await measureSpeed(server, url, dir), await measureOne(server, url, dir), await measureMemory(server, url, dir)];
    return met.every(Boolean);
  } finally {
    server.end();
  }
};

const run = async (worker: Child, server: Server, order: Order): Promise<Took> => {
  await server.clear(order.project);
  return worker.ask<Took>(order);
};

const measureSpeed = async (server: Server, url: string, dir: string): Promise<boolean> => {
  const ours = await restorer(dir, documents);
  // Restores into the source database first: the official client reads its documents from there.
  await run(ours, server, { url, project: 'other' });
  await run(ours, server, { url, project: 'bench' });
  const held = await server.digest('bench');
  const expected = await child('firestore/measure-writer.ts', 'expected').heard<string>();
  const bulk = child('firestore/measure-writer.ts', 'bulk', url);
  await bulk.heard();
  const [same, other, official]: [number[], number[], number[]] = [[], [], []];
  const allSteps: number[] = [];
  const [cpuOurs, cpuOfficial]: [number[], number[]] = [[], []];
  for (let n = 0; n < rounds; n++) {
    await server.clear('bulk');
    const theirs = await bulk.ask<{ perSecond: number; perCpuSecond: number }>({ url, project: 'bulk' });
    official.push(theirs.perSecond);
    cpuOfficial.push(theirs.perCpuSecond);
    const there = await run(ours, server, { url, project: 'other' });
    other.push(there.written / there.writeSeconds);
    cpuOurs.push(there.written / there.writeCpuSeconds);
    const here = await run(ours, server, { url, project: 'bench' });
    same.push(here.written / here.writeSeconds);
    allSteps.push(here.written / here.seconds);
  }
  ours.end();
  bulk.kill();
  printTable(
    `Restoring ${whole(documents)} documents of 1 kB into an empty database, ${rounds} rounds`,
    ['', 'documents/s', 'per CPU second'],
    [
      ['BulkWriter, unthrottled', whole(median(official)), whole(median(cpuOfficial))],
      ['restore, its writing, into another project (references rewritten)', whole(median(other)), whole(median(cpuOurs))],
      ['restore, its writing, into the same project', whole(median(same)), ''],
      ['restore, all steps', whole(median(allSteps)), ''],
    ],
  );
  const ratio = (of: readonly number[]): number => median(of.map((one, n) => one / (official[n] ?? 1)));
  const isIdentical = held.digest === expected && held.count === documents;
  const few = await restorer(dir, importedDocuments);
  await run(few, server, { url, project: 'bench' });
  few.end();
  await measureImporters({ server, url, dir, from: 'bench', perSecond: median(same) });
  printTable('Goals: restore', goalColumns, [
    goalRow('another project ÷ BulkWriter', { value: ratio(other), goal: restoreGoals.other }),
    goalRow('the same project ÷ BulkWriter', { value: ratio(same), goal: restoreGoals.same }),
  ]);
  console.log(`target identical to the backup, byte for byte: ${judged(isIdentical, 'yes')}`);
  return (
    isIdentical &&
    reaches(ratio(other), restoreGoals.other.must, 'least') &&
    reaches(ratio(same), restoreGoals.same.must, 'least')
  );
};

const measureOne = async (server: Server, url: string, dir: string): Promise<boolean> => {
  const worker = await restorer(dir, many);
  const took: Took[] = [];
  for (let n = 0; n < 3; n++) took.push(await run(worker, server, { url, project: 'one', isOne: true }));
  worker.end();
  const [one] = took;
  if (one?.written !== 1) throw new Error('the document was not written');
  const share = (100 * one.bytes) / one.size;
  printTable(`One document out of a backup of ${whole(many)}`, goalColumns, [
    goalRow('ranges read of the backup, all steps', { value: one.ranges, goal: restoreGoals.ranges, show: whole }),
    goalRow('bytes read of it in percent, the manifest each time', {
      value: share,
      goal: restoreGoals.share,
      show: (value) => fixed(value, 3),
    }),
  ]);
  console.log(
    `${fixed(median(took.map(({ seconds }) => seconds)) * 1_000, 0)} ms from asking to completed, a folder for a bucket`,
  );
  return reaches(one.ranges, restoreGoals.ranges.must, 'most') && reaches(share, restoreGoals.share.must, 'most');
};

const measureMemory = async (server: Server, url: string, dir: string): Promise<boolean> => {
  const peaks: number[] = [];
  for (const count of [documents, large]) {
    const worker = await restorer(dir, count);
    peaks.push((await run(worker, server, { url, project: 'memory' })).peakMiB);
    worker.end();
    await server.clear('memory');
  }
  const [small = 1, big = 0] = peaks;
  printTable('Memory of a restore', goalColumns, [
    goalRow(`peak RSS at ${whole(large)} documents (${fixed(big, 0)} MiB) ÷ at ${whole(documents)}`, {
      value: big / small,
      goal: restoreGoals.growth,
    }),
  ]);
  return reaches(big / small, restoreGoals.growth.must, 'most');
};
