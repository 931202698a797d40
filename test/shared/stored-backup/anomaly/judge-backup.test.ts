/** Backups that are made and sealed for real: an attack is found, holds the backup from before, and a person ends that. */
import { deepEqual, equal, rejects, throws } from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { beforeEach, test } from 'vitest';
import { commit } from '../../../../shared/platform/index.ts';
import { toCandidate } from '../../../../shared/retention/retention-candidate.ts';
import { acknowledgeAnomaly, type BackupRecord, deleteBackup } from '../../../../shared/stored-backup/index.ts';
import { createBackupEnv, textField } from '../../../harness/env/backup-env.ts';
import { writeDocuments } from '../../../harness/firestore/write-documents.ts';

const t = await createBackupEnv();
beforeEach(() => t.reset());

const pathOf = (n: number): string => `users/u${String(n).padStart(3, '0')}`;
const words = (n: number) => textField(`Ada Lovelace, the ${n}th of her name, of London`);
const secret = (n: number) => textField(createHash('sha512').update(String(n)).digest('base64'));

const remove = (paths: readonly string[]): Promise<void> =>
  writeDocuments(
    t.server,
    t.sourceProjectId,
    paths.map((path) => [path, undefined] as const),
  );

const take = async (options: Parameters<typeof t.startBackup>[0] = {}): Promise<BackupRecord> => {
  const id = await t.startBackup(options);
  await t.runBackup(id);
  const record = t.backupOf(id);
  equal(record.status, 'completed', JSON.stringify(record.error));
  return record;
};

const by = { type: 'user', id: 'usr_1', email: 'ada@example.com' };
const acknowledge = async (backup: BackupRecord, note?: string): Promise<BackupRecord> => {
  const { backup: done, change } = await acknowledgeAnomaly(t.tenant, { backup, acknowledgement: { by, note }, now: new Date() });
  if (change.writes.length > 0) await commit(change.writes);
  return done;
};

const usualRuns = async (count: number): Promise<readonly BackupRecord[]> => {
  await t.write(Array.from({ length: 100 }, (_, n) => [pathOf(n), words(n)] as const));
  const runs: BackupRecord[] = [];
  for (let run = 0; run < count; run++) {
    await t.write([[pathOf(run), words(1_000 + run)]]);
    runs.push(await take());
  }
  return runs;
};

test('anomaly: encryption and deletion are found, hold the backup before, and are free once acknowledged', async () => {
  const runs = await usualRuns(4);
  deepEqual(
    runs.map(({ anomaly }) => anomaly),
    runs.map(() => undefined),
  );
  const last = runs.at(-1)!;
  await rejects(acknowledge(last), /not marked/);
  await t.write(Array.from({ length: 5 }, (_, n) => [pathOf(20 + n), secret(n)] as const));
  await remove(Array.from({ length: 20 }, (_, n) => pathOf(60 + n)));
  const marked = await take();
  const found = marked.anomaly!.findings.map(({ collection, kind, observed }) => [collection, kind, observed.documents]);
  deepEqual(found.sort(), [
    ['users', 'deleted', 20],
    ['users', 'entropy', 5],
  ]);
  deepEqual([marked.anomalyState, marked.anomaly?.keptBackupId, t.backupOf(last.id).heldFor], ['open', last.id, [marked.id]]);
  equal(t.events('backup.anomaly').length, 1);
  const next = await take();
  equal(next.anomaly, undefined);
  const isHeld = (id: string): boolean => toCandidate(t.backupOf(id))?.heldUntilMs === Number.POSITIVE_INFINITY;
  deepEqual([runs[0]!.id, last.id, marked.id, next.id].map(isHeld), [false, true, true, false]);
  for (const { id } of [last, marked])
    throws(() => deleteBackup(t.tenant, { backup: t.backupOf(id), child: undefined, now: new Date() }), /cknowledge/);

  const done = await acknowledge(t.backupOf(marked.id), 'We know');
  deepEqual([done.anomaly?.note, done.anomaly?.acknowledgedBy?.email], ['We know', 'ada@example.com']);
  deepEqual([last.id, marked.id].map(isHeld), [false, false]);
  const again = await acknowledge(t.backupOf(marked.id), 'Again');
  equal(again.anomaly?.note, 'We know');
  // The same level is not reported again.
  await remove(Array.from({ length: 16 }, (_, n) => pathOf(80 + n)));
  equal((await take()).anomaly, undefined);
});

test('anomaly: a second attack holds the backup from before the first, and a migration is no attack', async () => {
  await usualRuns(4);
  await t.write(Array.from({ length: 100 }, (_, n) => [pathOf(n), words(5_000 + n)] as const));
  const migrated = await take();
  equal(migrated.anomaly, undefined);
  await remove(Array.from({ length: 25 }, (_, n) => pathOf(n)));
  const first = await take();
  await remove(Array.from({ length: 25 }, (_, n) => pathOf(25 + n)));
  const second = await take();
  deepEqual([first.anomaly?.keptBackupId, second.anomaly?.keptBackupId], [migrated.id, migrated.id]);
  deepEqual(t.backupOf(migrated.id).heldFor, [first.id, second.id]);
  await acknowledge(t.backupOf(second.id));
  deepEqual(t.backupOf(migrated.id).heldFor, [first.id]);
});
