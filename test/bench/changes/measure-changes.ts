/** Time and memory of backups that are built from captured changes, compared with one that reads the source. */
import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { BenchDatabases } from '../backup/bench-databases.ts';
import type { BuildPhase, Took } from '../backup/bench-processes.ts';
import { fixed, goalColumns, goalRow, printTable, reaches, whole } from '../print.ts';

const documents = Number(process.env.BENCH_DOCUMENTS ?? (process.env.BENCH_LARGE ? 1_000_000 : 200_000));
const timeGoal = { must: 0.2, aim: 0.15, kind: 'most' } as const;
const peakGoal = { must: 160, aim: 128, kind: 'most' } as const;

export const measureChanges = async (dir: string): Promise<boolean> => {
  const bench = await BenchDatabases.open(join(dir, 'backup'));
  const state = mkdtempSync(join(dir, 'changes-'));
  try {
    const task = await bench.of(documents);
    const took = async (phase: BuildPhase): Promise<Took> => bench.processes.once('build', { ...task, dir: state, phase });
    const read = await took('read');
    const { documents: changed } = await took('capture');
    const built = { full: await took('full'), incremental: await took('incremental') };
    const rows = [['read', read] as const, ...Object.entries(built).map(([type, one]) => [`built, ${type}`, one] as const)];
    printTable(
      `Backups of ${whole(documents)} documents, of which ${whole(changed)} have changed`,
      ['', 'documents', 'reads', 'seconds', 'CPU seconds', 'peak RSS'],
      rows.map(([what, one]) => [
        what,
        whole(one.documents),
        whole(one.reads ?? 0),
        fixed(one.seconds),
        fixed(one.cpuSeconds),
        `${fixed(one.peakMib, 0)} MiB`,
      ]),
    );
    const goals = Object.entries(built).flatMap(([type, one]) => [
      goalRow(`time, ${type} ÷ read`, { value: one.seconds / read.seconds, goal: timeGoal }),
      goalRow(`CPU time, ${type} ÷ read`, { value: one.cpuSeconds / read.cpuSeconds, goal: timeGoal }),
      goalRow(`peak RSS in MiB, ${type}`, { value: one.peakMib, goal: peakGoal, show: (value) => fixed(value, 0) }),
    ]);
    printTable('Goals: backups built from changes', goalColumns, goals);
    return Object.values(built).every(
      (one) => reaches(one.seconds / read.seconds, timeGoal.must, 'most') && reaches(one.peakMib, peakGoal.must, 'most'),
    );
  } finally {
    bench.end();
    rmSync(state, { recursive: true });
  }
};
