/** What an incremental backup stores, reads and takes beside a full one of the same database, where one document in a hundred has changed. */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { Took } from './incremental/work.ts';
import { fixed, goalColumns, goalRow, printTable, reaches, whole } from './print.ts';

const bytesGoal = { must: 0.03, aim: 0.02, kind: 'most' } as const;
/** Firestore has no query for what has changed: the source is read all the same, and not more often. */
const readsGoal = { must: 1.01, aim: 1, kind: 'most' } as const;
/** What is compared is not packed: names and times of the parent are read instead. */
const cpuGoal = { must: 1.2, aim: 1, kind: 'most' } as const;

const percent = (share: number): string => `${fixed(share * 100)} %`;

export const measureIncremental = async (): Promise<boolean> => {
  const child = fork(join(import.meta.dirname, 'incremental/work.ts'));
  const [took] = (await once(child, 'message')) as [readonly Took[]];
  const [full, ...links] = took;
  if (!full) throw new Error('nothing was measured');
  printTable(
    `Incremental backups of ${whole(full.documents)} documents`,
    ['', 'bytes', 'of a full one', 'reads', 'CPU seconds'],
    took.map(({ what, bytes, reads, cpuSeconds }) => [
      ...[what, whole(bytes), percent(bytes / full.bytes), whole(reads), fixed(cpuSeconds)],
    ]),
  );
  const link = links[0] ?? full;
  const shares = { bytes: link.bytes / full.bytes, reads: link.reads / full.reads, cpu: link.cpuSeconds / full.cpuSeconds };
  printTable('Goals of incremental backups', goalColumns, [
    goalRow('bytes after 1 % has changed, of those of a full one', shares.bytes, bytesGoal, percent),
    goalRow('reads, of those of a full one', shares.reads, readsGoal),
    goalRow('CPU time, of that of a full one', shares.cpu, cpuGoal),
  ]);
  return reaches(shares.bytes, bytesGoal.must, 'most') && reaches(shares.reads, readsGoal.must, 'most');
};
