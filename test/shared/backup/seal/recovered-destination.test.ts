/** A completed backup shows that a destination in error works again. */
import { deepEqual, equal } from 'node:assert/strict';
import { describe, test } from 'vitest';
import { type DestinationRecord, destinationKey, StorageError } from '../../../../shared/destination/index.ts';
import { iso } from '../../../../shared/platform/index.ts';
import { createBackupEnv } from '../../../harness/env/backup-env.ts';
import { resetWithDocuments, runFailingBackup, startOptions } from '../../../harness/env/failed-backup.ts';
import { faulty } from '../../../harness/faults/faulty-store.ts';

const t = await createBackupEnv();

const destination = (): DestinationRecord => t.table.get<DestinationRecord>(destinationKey(t.tenant, t.destinationId))!;
const outcome = () => [destination().status, t.events('storage.connected').length];

const runBackup = async (afterPlan = () => {}): Promise<void> => {
  const id = await t.startBackup(startOptions);
  await t.runBackup(id, { afterPlan });
  equal(t.backupOf(id).status, 'completed');
};

const failAt = (step: string | null, at = new Date(t.nowMs() - 60_000)): void => {
  const lastError = { at: iso(at), step, kind: null, message: 'The store refused' };
  t.table.put({ ...destination(), status: 'error', lastError, lastTestedAt: lastError.at });
};

describe('a destination in error', () => {
  test('that failed a backup is connected again when the next one completes', async () => {
    await resetWithDocuments(t);
    faulty(t, (operation) => (operation === 'finish' ? new StorageError('denied', 'AccessDenied') : undefined));
    await runFailingBackup(t);
    deepEqual(outcome(), ['error', 0]);

    t.wrapStore = (store) => store;
    await runBackup();
    deepEqual(outcome(), ['connected', 1]);
    equal(destination().lastError, undefined);
    const { storage } = t.events('storage.connected')[0]!.data as { storage: { status: string } };
    equal(storage.status, 'connected');

    await runBackup();
    deepEqual(outcome(), ['connected', 1]);
  });

  test('that failed to write in a test is connected again', async () => {
    await resetWithDocuments(t);
    failAt('write');
    await runBackup();
    deepEqual(outcome(), ['connected', 1]);
  });

  // A role that anyone can use without the ExternalId works for backups, too.
  test('that failed a step which no backup takes stays in error', async () => {
    for (const step of ['role', 'workloadIdentity', 'list', 'lock', 'delete']) {
      await resetWithDocuments(t);
      failAt(step);
      await runBackup();
      deepEqual(outcome(), ['error', 0], step);
    }
  });

  test('that failed while the backup ran stays in error', async () => {
    await resetWithDocuments(t);
    await runBackup(() => failAt('write', new Date(t.nowMs() + 1)));
    deepEqual(outcome(), ['error', 0]);
  });
});
