/** What a backup asks of everyone else, counted, and what AWS would bill for it. */
import { transitionsOf } from '../../../infra/scale/backup.ts';
import { price } from '../../../infra/scale/price.ts';
import { backupSteps } from '../../../infra/workflow/backup.ts';
import { workers } from '../../../shared/contract/runtime/workers.ts';
import { fixed, goalColumns, goalRow, printTable, reaches, whole } from '../print.ts';
import { isLarge } from './memory.ts';
import type { Stand } from './stand.ts';

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

export const measureCost = async (stand: Stand): Promise<boolean> => {
  const [small, large] = isLarge ? [100_000, 1_000_000] : [20_000, 200_000];
  const [one, ten] = [await billOf(stand, small), await billOf(stand, large)];
  printTable(
    `What a backup of ${whole(ten.documents)} documents asks for`,
    ['', 'in all', 'for 1,000 documents'],
    ten.rows.map(([what, count]) => [what, whole(count), fixed((1_000 * count) / ten.documents, 3)]),
  );
  const perMillion = (bill: Bill): number => (1e6 * bill.dollars) / bill.documents;
  const million = isLarge ? 'a million documents' : 'a million documents, from 200,000';
  printTable('Goals of cost', goalColumns, [
    goalRow('reads billed for a document', ten.reads / ten.documents, readsGoal, (value) => fixed(value, 4)),
    goalRow('calls of the source for a million documents', (1e6 * ten.calls) / ten.documents, callsGoal, whole),
    goalRow(`dollars at AWS for ${million}`, perMillion(ten), dollarsGoal, (value) => `$${fixed(value, 5)}`),
    goalRow('dollars of ten times as much ÷ of once', ten.dollars / one.dollars, linearGoal),
  ]);
  const parts = Object.entries(ten.parts).map(([what, dollars]) => `${what} $${fixed((1e6 * dollars) / ten.documents, 5)}`);
  console.log(`of it: ${parts.join(', ')}`);
  // A worker that waits for the source costs as long as it waits: streams of the real service were seen at 170 to 2,900/s.
  const waiting = (1e6 / 2_900) * gigabytes * price.gigabyteSecond;
  console.log(
    `the workers are counted by their CPU time; at 2,900 documents/s of a real stream they would cost $${fixed(waiting, 5)}`,
  );
  return (
    reaches(ten.reads / ten.documents, readsGoal.must, 'most') &&
    reaches((1e6 * ten.calls) / ten.documents, callsGoal.must, 'most') &&
    reaches(perMillion(ten), dollarsGoal.must, 'most') &&
    reaches(ten.dollars / one.dollars, linearGoal.must, 'most')
  );
};

const gigabytes = workers.backupCopy.memoryMegabytes / 1_024;

const billOf = async (stand: Stand, documents: number): Promise<Bill> => {
  const task = await stand.of(documents);
  await stand.world.order({ do: 'calls' });
  await stand.world.bucket();
  const took = await stand.world.once('through-s3', task);
  const { calls } = await stand.world.order({ do: 'calls' });
  const { requests } = await stand.world.bucket();
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
    // One to make the data key, one for each worker that opens it, and one to seal.
    kms: (2 + shards) * price.kms,
  };
  return {
    documents: took.documents,
    dollars: Object.values(parts).reduce((sum, part) => sum + part, 0),
    reads,
    calls: sourceCalls,
    parts,
    rows: [
      ['calls of the source', sourceCalls],
      ['reads that the source bills', reads],
      ['requests to the bucket', puts + gets],
      ['requests to the table', tableRequests],
      ['items written to the table', itemsWritten],
      ['units of writing to the table', writeUnits],
      ['transitions of the workflow', transitionsOf(shards)],
      ['shards', shards],
    ],
  };
};
