/** The configuration of a backup on the running service, with the command line. */
import { deepEqual, equal, match } from 'node:assert/strict';
import { test } from 'vitest';
import { scopes } from '../../../shared/contract/access.ts';
import { openBms } from '../../harness/env/run-bms.ts';
import { endOf, newDestination, newProject, seed, startBackup } from '../../harness/stage/backup.ts';
import { stageUrl } from '../../harness/stage/client.ts';
import {
  createIndex,
  deleteIndex,
  listIndexes,
  refuseConfiguration,
  releaseRules,
  setField,
} from '../../harness/stage/configuration.ts';
import { newOrganization, newServiceAccountKey } from '../../harness/stage/organization.ts';

test('bms config: shows what surrounds the documents of a backup, and what has changed since', async () => {
  const organization = await newOrganization();
  const [{ sourceProjectId, id: projectId }, { id: storageDestinationId }] = await Promise.all([
    newProject(organization),
    newDestination(organization),
  ]);
  await seed(sourceProjectId, { 'users/u1': { age: { integerValue: '36' } } });
  const index = await createIndex(sourceProjectId, 'users', ['age', 'name']);
  await setField(sourceProjectId, ['users', 'expiresAt'], { ttlConfig: {} });
  await releaseRules(sourceProjectId, 'cloud.firestore', 'service cloud.firestore {\n}');
  await refuseConfiguration(sourceProjectId, 'GetDatabase', 5);
  const { id } = await startBackup(organization, { projectId, storageDestinationId });
  equal((await endOf(organization, id)).status, 'completed');
  const bms = openBms({ BMS_URL: stageUrl(), BMS_API_KEY: await newServiceAccountKey(organization, scopes) });

  const shown = await bms.run(['config', 'show', id]);
  equal(shown.code, 0, shown.err);
  match(shown.out, /settings: not captured, The caller does not have permission.* It needs the role roles\/datastore\.viewer/);
  match(shown.out, /users \(COLLECTION\): age ASCENDING, name ASCENDING, __name__ ASCENDING/);
  match(shown.out, /users\.expiresAt: TTL policy/);
  match(shown.out, /cloud\.firestore: rules \(2 lines\)/);

  await deleteIndex(index);
  const changed = await bms.run(['config', 'diff', id, 'live', '--exit-code']);
  equal(changed.code, 1, changed.err);
  match(changed.out, /^- index users: age ascending, name ascending$/m);
  match(changed.err, /not compared, because one side does not know them: settings/);
  match(changed.err, /1 difference, 2 equal/);
  const { differences } = await bms.json<{ differences: readonly { change: string }[] }>('config', 'diff', id);
  equal(differences[0]!.change, 'removed');

  const plan = await bms.run(['config', 'restore', id, '--dry-run']);
  equal(plan.code, 0, plan.err);
  match(plan.out, /^\+ create index users: age ascending, name ascending$/m);
  match(plan.out, /^= equal rules cloud\.firestore$/m);
  match(plan.err, /settings are left out: the backup does not tell/);
  equal((await listIndexes(sourceProjectId)).length, 0);
  const unconfirmed = await bms.run(['config', 'restore', id]);
  equal(unconfirmed.code, 2, unconfirmed.err);
  const restored = await bms.run(['config', 'restore', id, '--yes', '--wait']);
  equal(restored.code, 0, restored.err);
  match(restored.err, /3 as in the backup, 0 being built, 0 not written, 0 impossible/);
  deepEqual(
    (await listIndexes(sourceProjectId)).map(({ state }) => state),
    ['READY'],
  );
});
