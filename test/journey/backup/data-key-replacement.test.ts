/**
 * Replacing the key that wraps data keys, as the runbook says: one deployment creates it, the next uses it, and a rotation rewraps the
 * data keys of earlier backups. In every step, and after rolling back the second deployment, every function opens the data keys of both.
 */
import { deepEqual, equal, notEqual } from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, test } from 'vitest';
import { backups } from '../../../shared/contract/endpoints/backups.ts';
import { encryption } from '../../../shared/contract/endpoints/encryption.ts';
import { type SpawnedStage, spawnStage } from '../../harness/faults/killable-stage.ts';
import { takeBackup } from '../../harness/stage/backup.ts';
import { call } from '../../harness/stage/client.ts';
import { newOrganization } from '../../harness/stage/organization.ts';
import { restore } from '../../harness/stage/restore.ts';
import { lookUntil } from '../../harness/time/look-until.ts';

const dir = mkdtempSync(join(tmpdir(), 'stage-'));
let stage: SpawnedStage | undefined;
const deploy = async (config: { readonly dataKeyGeneration?: number; readonly wrappingKeyGeneration?: number }) => {
  await stage?.stop();
  stage = await spawnStage(dir, { delayScale: 60, config, ...(stage && { ports: stage.ports }) });
  Object.assign(process.env, stage.variables);
};
afterAll(async () => {
  await stage?.stop();
  rmSync(dir, { recursive: true, force: true });
});

test('data key replacement: backups of before, during and after it restore in every step, also after a roll back', async () => {
  await deploy({});
  const organization = await newOrganization();
  const by = { token: organization.owner.accessToken, org: organization.id };
  const backupIds: string[] = [];
  /** Takes a backup, restores all that were taken so far, and returns the id of the key that wraps. */
  const step = async (): Promise<string> => {
    backupIds.push((await takeBackup(organization)).id);
    for (const backupId of backupIds) equal((await restore(organization, { backupId })).status, 'completed');
    return (await call(encryption.get, by)).body.data.keyId;
  };
  const first = await step();
  await deploy({ dataKeyGeneration: 2, wrappingKeyGeneration: 1 });
  equal(await step(), first);
  await deploy({ dataKeyGeneration: 2, wrappingKeyGeneration: 2 });
  const second = await step();
  notEqual(second, first);
  const keysInUse = async (): Promise<readonly string[]> =>
    Promise.all(
      backupIds.map(
        async (backupId) => (await call(backups.get, { ...by, params: { backupId } })).body.data.encryption?.keyId ?? '',
      ),
    );
  deepEqual(await keysInUse(), [first, first, second]);
  equal((await call(encryption.rotate, by)).status, 202);
  await lookUntil(
    async () => (await call(encryption.get, by)).body.data.rewrap,
    (rewrap) => rewrap === 'idle',
  );
  deepEqual(await keysInUse(), [second, second, second]);
  await deploy({ dataKeyGeneration: 2, wrappingKeyGeneration: 1 });
  deepEqual([await step(), backupIds.length], [first, 4]);
});
