/** What one organization may have under way at once. */
import { deepEqual, equal, rejects } from 'node:assert/strict';
import { afterAll, beforeEach, test } from 'vitest';
import { assertBackupCapacity } from '../../../../shared/backup/index.ts';
import { clock, commit, newId, unsafeTenant } from '../../../../shared/platform/index.ts';
import {
  assertVerificationCapacity,
  type BackupRecord,
  backupKey,
  startVerification,
} from '../../../../shared/stored-backup/index.ts';
import { deleteBackup } from '../../../../shared/stored-backup/removal/delete-backup.ts';
import { VerificationProgress } from '../../../../shared/stored-backup/verify/verification-progress.ts';
import { scriptAws } from '../../../harness/aws/scripted-aws.ts';
import { backupOf, tenant } from '../../../harness/builders/sample-backup.ts';
import { InMemoryTable } from '../../../harness/table/in-memory-table.ts';

const table = new InMemoryTable();
const aws = await scriptAws(table.script);
afterAll(() => aws.stop());
beforeEach(() => table.items.clear());

const now = new Date('2026-03-01T12:00:00.000Z');
const hours = (count: number): Date => new Date(now.getTime() + count * 3_600_000);

const putBackups = (count: number, status: BackupRecord['status'], of = tenant): readonly BackupRecord[] =>
  Array.from({ length: count }, () => {
    const id = newId('backup');
    const backup = backupOf({ ...backupKey.backup(of, id), id, status });
    table.put(backup);
    table.put({ ...backupKey.running(of, id), organizationId: of.organizationId, backupId: id, since: 'x' });
    return backup;
  });

test('capacity: the 21st concurrent backup of an organization is refused', async () => {
  putBackups(10, 'pending');
  const [first] = putBackups(10, 'running');
  await rejects(assertBackupCapacity(tenant), { code: 'JOB_IN_PROGRESS', message: /can run at most 20 backups at once/ });
  table.put({ ...first!, status: 'completed' });
  await assertBackupCapacity(tenant);
});

test('capacity: ended backups and those of other organizations do not count', async () => {
  putBackups(30, 'failed');
  putBackups(19, 'running');
  putBackups(40, 'running', unsafeTenant(newId('organization'), 'created'));
  await assertBackupCapacity(tenant);
});

const start = async (backup: BackupRecord, at = now): Promise<BackupRecord> => {
  const started = startVerification(tenant, { backup, depth: 'structure', now: at });
  await commit(started.change.writes);
  return started.backup;
};
const refused = { code: 'CONFLICT', message: /can run at most 10 verifications at once/ };

test('capacity: the 11th concurrent verification of an organization is refused', async () => {
  const running = await Promise.all(putBackups(10, 'completed').map((backup) => start(backup)));
  await rejects(assertVerificationCapacity(tenant, now), refused);
  const [first] = running;
  await new VerificationProgress(tenant, first!, { verification: first!.verification!, clock }).end(3);
  await assertVerificationCapacity(tenant, now);
});

test('capacity: verifications of deleted backups and dead ones do not count', async () => {
  const [first, ...more] = await Promise.all(putBackups(10, 'completed').map((backup) => start(backup)));
  equal(more.length, 9);
  await rejects(assertVerificationCapacity(tenant, hours(24)), refused);
  await assertVerificationCapacity(tenant, hours(25));
  const { writes } = deleteBackup(tenant, { backup: first!, child: undefined, now });
  deepEqual(
    writes.flatMap((write) => ('remove' in write && write.remove.sk.startsWith('VERIFYING#') ? [write.remove.sk] : [])),
    [`VERIFYING#${first!.id}`],
  );
});
