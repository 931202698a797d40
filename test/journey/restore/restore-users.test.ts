/** Restore of Firebase Authentication users: dry run, restore with passwords, undo. */
import { deepEqual, equal, ok } from 'node:assert/strict';
import { test } from 'vitest';
import { endOf, newDestination, newProject, seed, startBackup } from '../../harness/stage/backup.ts';
import { stageVariable } from '../../harness/stage/client.ts';
import { logs } from '../../harness/stage/function-log.ts';
import { newOrganization } from '../../harness/stage/organization.ts';
import { planRestore, restore, undo } from '../../harness/stage/restore.ts';
import { allItems } from '../../harness/stage/table.ts';

type Json = Readonly<Record<string, unknown>>;

/** Calls as an administrator of the project. */
const toolkit = async (path: string, body?: Json): Promise<Json> => {
  const answer = await fetch(`http://${stageVariable('STAGE_FIRESTORE')}${path}`, {
    headers: { 'content-type': 'application/json', authorization: 'Bearer owner' },
    ...(body && { method: 'POST', body: JSON.stringify(body) }),
  });
  ok(answer.ok, `${answer.status} ${path}`);
  return (await answer.json()) as Json;
};
const accounts = (sourceProjectId: string, verb: string, body?: Json) =>
  toolkit(`/v1/projects/${sourceProjectId}/accounts:${verb}`, body);
const usersOf = async (sourceProjectId: string) => ((await accounts(sourceProjectId, 'batchGet')).users ?? []) as readonly Json[];

test('restore: deleted users are restored with their passwords, in the same and another project, and undone', async () => {
  const organization = await newOrganization();
  const [project, other, destination] = await Promise.all([
    newProject(organization),
    newProject(organization),
    newDestination(organization),
  ]);
  await seed(project.sourceProjectId, { 'a/1': {} });
  const secret = Buffer.from('canary-hash-of-a-password').toString('base64url');
  const { signIn } = await toolkit(`/admin/v2/projects/${project.sourceProjectId}/config`);
  const { algorithm, ...hashConfig } = (signIn as { hashConfig: Json }).hashConfig;
  await accounts(project.sourceProjectId, 'batchCreate', {
    ...{ hashAlgorithm: algorithm, ...hashConfig },
    users: [
      {
        localId: 'ada',
        email: 'ada@example.com',
        passwordHash: secret,
        salt: 'c2FsdC1zYWx0',
        customAttributes: '{"role":"admin"}',
      },
      { localId: 'bob', phoneNumber: '+441234567890' },
    ],
  });
  const before = await usersOf(project.sourceProjectId);
  equal(before.length, 2);
  const begun = await startBackup(organization, {
    ...{ projectId: project.id, storageDestinationId: destination.id, includeAuthUsers: true },
  });
  const { id: backupId, authUsers } = await endOf(organization, begun.id);
  equal(authUsers, 2);

  await accounts(project.sourceProjectId, 'batchDelete', { localIds: ['ada'], force: true });
  const mistake = await usersOf(project.sourceProjectId);
  const plan = await planRestore(organization, { backupId });
  deepEqual(plan.authUsers, { create: 1, overwrite: 1, skip: 0 });
  deepEqual(await usersOf(project.sourceProjectId), mistake);

  const done = await restore(organization, { backupId });
  deepEqual([done.includeAuthUsers, done.authUsers], [true, { restored: 2, deleted: 0, skipped: 0, failed: 0 }]);
  deepEqual(await usersOf(project.sourceProjectId), before);

  const back = await undo(organization, done.restoreJobId);
  deepEqual(back.authUsers, { restored: 0, deleted: 1, skipped: 0, failed: 0 });
  deepEqual(await usersOf(project.sourceProjectId), mistake);

  await restore(organization, { backupId, targetProjectId: other.id });
  deepEqual(await usersOf(other.sourceProjectId), before);

  ok(!logs().includes(secret));
  ok(!JSON.stringify(await allItems()).includes(secret));
});
