/** A retired passphrase is kept as long as it decrypts the journal of a restore. */
import { deepEqual } from 'node:assert/strict';
import { afterAll, beforeEach, test } from 'vitest';
import { newId, unsafeTenant } from '../../../../shared/platform/index.ts';
import { journalKeyIds } from '../../../../shared/restore/end/journal-key-ids.ts';
import { restoreKey } from '../../../../shared/restore/model/record.ts';
import { rewrapKeys } from '../../../../shared/stored-backup/index.ts';
import { answerInProcess } from '../../../harness/aws/in-process.ts';
import { InMemoryTable } from '../../../harness/table/in-memory-table.ts';

const table = new InMemoryTable();
answerInProcess(table.script);
process.env.DATA_KEY_ID = 'arn:aws:kms:eu-central-1:111122223333:key/data';
const tenant = unsafeTenant(newId('organization'), 'created');
beforeEach(() => table.items.clear());
afterAll(() => table.items.clear());

const now = new Date('2026-03-10T12:00:00.000Z');
const put = (keyId: string, more: object): void => {
  const id = newId('restore');
  const journal = { encryption: { mode: 'customer', keyId }, keyFile: 'a key' };
  const record = { status: 'running', dryRun: false, undoneBy: null, completedAt: null, journal, ...more };
  table.put({ ...restoreKey.restore(tenant, id), id, ...record });
};
const ended = (completedAt: string) => ({ status: 'failed', completedAt, sealedAt: completedAt });

test('journalKeyIds: includes restores that run or can be resumed with a journal that is no backup, and no others', async () => {
  put('pending', { status: 'pending' });
  put('running', {});
  put('has no key yet', { journal: { encryption: { mode: 'customer', keyId: 'has no key yet' } } });
  put('resumable', ended('2026-03-09T12:00:00.000Z'));
  put('too old', ended('2026-03-01T12:00:00.000Z'));
  put('a backup by now', { ...ended('2026-03-09T12:00:00.000Z'), safetyBackupId: newId('backup') });
  put('not sealed', { status: 'cancelled', completedAt: '2026-03-09T12:00:00.000Z' });
  put('completed', { ...ended('2026-03-09T12:00:00.000Z'), status: 'completed' });
  deepEqual([...(await journalKeyIds(tenant, now))].sort(), ['pending', 'resumable', 'running']);
});

test('journalKeyIds: rewrapping all backups keeps a passphrase that a running restore needs', async () => {
  put('old', {});
  const key = { pk: `ORG#${tenant.organizationId}`, sk: 'ENCRYPTION' };
  const chosen = { mode: 'kms', previous: { old: 'sealed', older: 'sealed' }, version: 'now', isWalking: true, updatedAt: 'x' };
  table.put({ ...key, ...chosen });
  const later = new Date('2099-01-01');
  const ends = { deadline: later, endsBy: later, until: later };
  const options = { taskId: 'tsk_1', ...ends, clock: { now: () => now }, findOtherKeyIds: journalKeyIds };
  await rewrapKeys(tenant, { walk: 'now' }, options);
  deepEqual(table.get(key), { ...key, ...chosen, isWalking: false, previous: { old: 'sealed' } });
});
