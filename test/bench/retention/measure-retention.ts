/** Time and memory to check all backups of an organization and to remove the expired ones, by their number. */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { bundle, bundleDir } from '../../../infra/bundle/bundle.ts';
import { fixed, goalColumns, goalRow, printTable, reaches, whole } from '../print.ts';
import { BackupTable } from './backup-table.ts';

const sizes = [10_000, 100_000] as const;
/** The function has 512 MB. Each backup takes about 500 bytes; the rest is query pages that are not collected yet. */
const peakGoal = { must: 400, aim: 256, kind: 'most' } as const;
const growthGoal = { must: 2.5, aim: 2, kind: 'most' } as const;
/** CPU time per backup ÷ that of a tenth as many: the total grows linearly. */
const slopeGoal = { must: 1.2, aim: 1, kind: 'most' } as const;

interface Took {
  readonly seconds: number;
  readonly cpuSeconds: number;
  readonly peakMib: number;
}

const work = 'test/bench/retention/retention-process.ts';

const applyTo = async (file: string, size: number): Promise<Took & { readonly expired: number; readonly reads: number }> => {
  const table = new BackupTable(size);
  const env = {
    ...process.env,
    AWS_ENDPOINT_URL: await table.start(),
    AWS_REGION: 'eu-central-1',
    AWS_ACCESS_KEY_ID: 'BENCH',
    AWS_SECRET_ACCESS_KEY: 'BENCH',
    TABLE_NAME: 'Table',
    PLAN: 'starter',
    AUDIT_RETENTION_DAYS: '',
  };
  const child = fork(file, { env });
  const [took] = (await once(child, 'message')) as [Took];
  table.stop();
  return { ...took, expired: table.expired, reads: table.reads };
};

export const measureRetention = async (dir: string): Promise<boolean> => {
  const out = join(dir, 'retention');
  await bundle([work], out);
  const file = join(bundleDir(work, out), 'index.cjs');
  const took = new Map<number, Awaited<ReturnType<typeof applyTo>>>();
  for (const size of sizes) took.set(size, await applyTo(file, size));
  printTable(
    'Retention of an organization',
    ['backups', 'expired', 'reads of the table', 'seconds', 'CPU seconds', 'peak RSS'],
    [...took].map(([size, { expired, reads, seconds, cpuSeconds, peakMib }]) => [
      ...[whole(size), whole(expired), whole(reads), fixed(seconds, 1), fixed(cpuSeconds, 1)],
      `${fixed(peakMib, 0)} MiB`,
    ]),
  );
  const [few, many] = sizes.map((size) => took.get(size));
  const peak = many?.peakMib ?? Number.NaN;
  const growth = peak / (few?.peakMib ?? 1);
  const slope = (many?.cpuSeconds ?? Number.NaN) / sizes[1] / ((few?.cpuSeconds ?? 1) / sizes[0]);
  printTable('Goals: retention', goalColumns, [
    goalRow(`peak RSS in MiB at ${whole(sizes[1])} backups`, { value: peak, goal: peakGoal, show: (value) => fixed(value, 0) }),
    goalRow(`÷ that at ${whole(sizes[0])}`, { value: growth, goal: growthGoal }),
    goalRow(`CPU time a backup ÷ that at ${whole(sizes[0])}`, { value: slope, goal: slopeGoal }),
  ]);
  return (
    reaches(peak, peakGoal.must, 'most') && reaches(growth, growthGoal.must, 'most') && reaches(slope, slopeGoal.must, 'most')
  );
};
