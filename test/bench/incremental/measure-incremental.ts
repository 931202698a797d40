/** Bytes, reads and CPU time of an incremental backup compared with a full one, when one document in a hundred has changed. */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { fixed, goalColumns, goalRow, printTable, reaches, whole } from '../print.ts';
import type { Took } from './backup-chain-process.ts';

const bytesGoal = { must: 0.03, aim: 0.02, kind: 'most' } as const;
/** Firestore has no query for changed documents: an incremental backup reads the source once, as a full one does. */
const readsGoal = { must: 1.01, aim: 1, kind: 'most' } as const;
/** Unchanged documents are not compressed; names and update times of the parent are read instead. */
const cpuGoal = { must: 1.2, aim: 1, kind: 'most' } as const;

const percent = (share: number): string => `${fixed(share * 100)} %`;

export const measureIncremental = async (): Promise<boolean> => {
  const child = fork(join(import.meta.dirname, 'backup-chain-process.ts'));
  const [took] = (await once(child, 'message')) as [readonly Took[]];
  const [full, ...links] = took;
  if (!full) throw new Error('no full backup was measured');
  printTable(
    `Incremental backups of ${whole(full.documents)} documents`,
    ['', 'bytes', 'of a full one', 'reads', 'CPU seconds'],
    took.map(({ what, bytes, reads, cpuSeconds }) => [
      ...[what, whole(bytes), percent(bytes / full.bytes), whole(reads), fixed(cpuSeconds)],
    ]),
  );
  const link = links[0] ?? full;
  const shares = { bytes: link.bytes / full.bytes, reads: link.reads / full.reads, cpu: link.cpuSeconds / full.cpuSeconds };
  printTable('Goals: incremental backup', goalColumns, [
    goalRow('bytes after 1 % has changed, of those of a full one', { value: shares.bytes, goal: bytesGoal, show: percent }),
    goalRow('reads, of those of a full one', { value: shares.reads, goal: readsGoal }),
    goalRow('CPU time, of that of a full one', { value: shares.cpu, goal: cpuGoal }),
  ]);
  return reaches(shares.bytes, bytesGoal.must, 'most') && reaches(shares.reads, readsGoal.must, 'most');
};
