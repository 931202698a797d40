/** Counts the requests of a backup to other services and computes the AWS bill. */
import { transitionsOf } from '../../../infra/scale/backup.ts';
import { price } from '../../../infra/scale/price.ts';
import { backupSteps } from '../../../infra/workflow/backup.ts';
import { workers } from '../../../shared/contract/runtime/workers.ts';
import { fixed, goalColumns, goalRow, printTable, reaches, whole } from '../print.ts';
import type { BenchDatabases } from './bench-databases.ts';
import { isLarge } from './measure-memory.ts';

const readsGoal = { must: 1.01, aim: 1.001, kind: 'most' } as const;
const callsGoal = { must: 1_000, aim: 100, kind: 'most' } as const;
const dollarsGoal = { must: 0.005, aim: 0.002, kind: 'most' } as const;
const linearGoal = { must: 10.5, aim: 10.1, kind: 'most' } as const;

interface Bill {
  readonly documents: number;
  readonly dollars: number;
  readonly reads: number;
  readonly calls: number;
  readonly parts: Readonly<Record<string, number>>;
  readonly rows: readonly (readonly [string, number])[];
}

export const measureCost = async (bench: BenchDatabases): Promise<boolean> => {
  const [small, large] = isLarge ? [100_000, 1_000_000] : [20_000, 200_000];
  const [one, ten] = [await billOf(bench, small), await billOf(bench, large)];
  printTable(
    `Requests of a backup of ${whole(ten.documents)} documents`,
    ['', 'total', 'per 1,000 documents'],
    ten.rows.map(([what, count]) => [what, whole(count), fixed((1_000 * count) / ten.documents, 3)]),
  );
  const perMillion = (bill: Bill): number => (1e6 * bill.dollars) / bill.documents;
  const million = isLarge ? 'a million documents' : 'a million documents, from 200,000';
  printTable('Goals: cost', goalColumns, [
    goalRow('billed reads per document', { value: ten.reads / ten.documents, goal: readsGoal, show: (value) => fixed(value, 4) }),
    goalRow('source calls per million documents', { value: (1e6 * ten.calls) / ten.documents, goal: callsGoal, show: whole }),
    goalRow(`AWS dollars for ${million}`, { value: perMillion(ten), goal: dollarsGoal, show: (value) => `$${fixed(value, 5)}` }),
    goalRow('dollars for ten times as many documents ÷ dollars', { value: ten.dollars / one.dollars, goal: linearGoal }),
  ]);
  const parts = Object.entries(ten.parts).map(([what, dollars]) => `${what} $${fixed((1e6 * dollars) / ten.documents, 5)}`);
  console.log(`by service: ${parts.join(', ')}`);
  // Waiting for the source costs Lambda time: real Firestore streams were measured at 170 to 2,900 documents/s.
  const waiting = (1e6 / 2_900) * gigabytes * price.gigabyteSecond;
  console.log(`workers count with their CPU time; at 2,900 documents/s of a real stream they would cost $${fixed(waiting, 5)}`);
  return (
    reaches(ten.reads / ten.documents, readsGoal.must, 'most') &&
    reaches((1e6 * ten.calls) / ten.documents, callsGoal.must, 'most') &&
    reaches(perMillion(ten), dollarsGoal.must, 'most') &&
    reaches(ten.dollars / one.dollars, linearGoal.must, 'most')
  );
};

const gigabytes = workers.backupCopy.memoryMegabytes / 1_024;

const billOf = async (bench: BenchDatabases, documents: number): Promise<Bill> => {
  const task = await bench.of(documents);
  await bench.processes.order({ do: 'calls' });
  await bench.processes.bucket();
  const took = await bench.processes.once('engine-to-s3', task);
  const { calls } = await bench.processes.order({ do: 'calls' });
  const { requests } = await bench.processes.bucket();
  const { shards = 0, writeUnits = 0, readUnits = 0, itemsWritten = 0, requests: tableRequests = 0, reads = 0 } = took;
  const kinds = Object.entries(requests);
  const gets = kinds.filter(([kind]) => kind === 'GET' || kind === 'HEAD').reduce((sum, [, count]) => sum + count, 0);
  const puts = kinds.reduce((sum, [, count]) => sum + count, 0) - gets;
  const sourceCalls = Object.values(calls).reduce((sum, count) => sum + count, 0);
  const parts = {
    functions: took.cpuSeconds * gigabytes * price.gigabyteSecond + (backupSteps.length - 2 + shards) * price.invocation,
    workflow: transitionsOf(shards) * price.transition,
    table: writeUnits * price.writeUnit + readUnits * price.readUnit,
    bucket: puts * price.put + gets * price.get,
    // One call creates the data key, one per worker decrypts it, one seals.
    kms: (2 + shards) * price.kms,
  };
  return {
    documents: took.documents,
    dollars: Object.values(parts).reduce((sum, part) => sum + part, 0),
    reads,
    calls: sourceCalls,
    parts,
    rows: [
      ['source calls', sourceCalls],
      ['billed source reads', reads],
      ['requests to the bucket', puts + gets],
      ['requests to the table', tableRequests],
      ['items written to the table', itemsWritten],
      ['table write units', writeUnits],
      ['workflow transitions', transitionsOf(shards)],
      ['shards', shards],
    ],
  };
};
