/** Chooses what a run tests. A choice by chance follows from the id of the run, so that anyone can repeat it. */
import { createHash } from 'node:crypto';
import { JobFailure } from '../../job/index.ts';
import { microsOf, readPitr, windowsOf } from '../../pitr/index.ts';
import { after, commit, iso, type Tenant, walk } from '../../platform/index.ts';
import { holdBackup } from '../../restore/index.ts';
import { type BackupRecord, backupKey, backupPrefix, isInternalBackup } from '../../stored-backup/index.ts';
import type { RunRecord } from '../model/record.ts';
import { buildPoint } from './build-point.ts';
import { enterPhase, type RunContext, type RunProgress, setRun } from './run-writes.ts';

export const chooseBackup = async (context: RunContext): Promise<RunProgress> => {
  const { tenant, run, deps } = context;
  const now = deps.clock.now();
  if (run.backup.pick === 'moment') {
    if (run.pointInTime !== null) return buildPoint(context);
    const { pointInTime, candidates } = await chooseMoment(tenant, run, now);
    await commit([setRun(context, { pointInTime, choice: { seed: run.id, candidates, chosenAt: iso(now) } })]);
    return 'again';
  }
  const { backup, candidates } = await chooseStored(tenant, run, now);
  const chosen = {
    backupId: backup.id,
    readTime: backup.readTime,
    choice: { seed: run.id, candidates, chosenAt: iso(now) },
    isHeld: true,
  };
  return enterPhase(context, { phase: 'reading', attributes: chosen, writes: [holdBackup(tenant, backup.id)] });
};

const daySeconds = 24 * 3_600;

/** Completed backups of the project, newest first; safety backups, those built for one restore and foreign imports do not count. */
const chooseStored = async (
  tenant: Tenant,
  { id, projectId, backup: { pick, days = 0 } }: RunRecord,
  now: Date,
): Promise<{ backup: BackupRecord; candidates: number }> => {
  const since = iso(after(now, -days * daySeconds));
  const found: BackupRecord[] = [];
  const range = { pk: backupKey.backup(tenant, '').pk, prefix: backupPrefix, newestFirst: true };
  for await (const backup of walk<BackupRecord>({ ...range, where: { projectId, status: 'completed' } })) {
    if (isInternalBackup(backup) || backup.isForeign || backup.leaving !== undefined) continue;
    if (pick === 'random' && (backup.completedAt ?? '') < since) continue;
    found.push(backup);
    if (pick === 'latest') break;
  }
  const backup = found[indexOf(id, found.length)];
  if (!backup)
    throw new JobFailure(
      'BACKUP_NOT_FOUND',
      pick === 'random'
        ? `The project has no completed backup of the last ${days} days to test`
        : 'The project has no completed backup to test',
    );
  return { backup, candidates: found.length };
};

/** A number below `total`, from 48 bits of the digest of the seed. */
export const indexOf = (seed: string, total: number): number =>
  total === 0 ? 0 : createHash('sha256').update(seed).digest().readUIntBE(0, 6) % total;

/** A second of the windows that hold for all collections. */
const chooseMoment = async (
  tenant: Tenant,
  { id, projectId }: RunRecord,
  now: Date,
): Promise<{ pointInTime: string; candidates: number }> => {
  const pitr = await readPitr(tenant, projectId);
  const windows = pitr ? windowsOf(pitr, now).windows.filter(({ collections }) => collections === undefined) : [];
  const spans = windows.map(({ from, to }) => {
    const first = Math.ceil(microsOf(from) / 1_000_000);
    return { first, seconds: Math.max(0, Math.floor(microsOf(to) / 1_000_000) - first + 1) };
  });
  const candidates = spans.reduce((sum, { seconds }) => sum + seconds, 0);
  if (candidates === 0)
    throw new JobFailure(
      'BACKUP_NOT_FOUND',
      pitr ? 'No moment of the project can be restored at present' : 'Point-in-time recovery is not enabled for the project',
    );
  let rest = indexOf(id, candidates);
  for (const { first, seconds } of spans) {
    if (rest < seconds) return { pointInTime: iso(new Date((first + rest) * 1_000)), candidates };
    rest -= seconds;
  }
  throw new Error('the choice is beyond the windows');
};
