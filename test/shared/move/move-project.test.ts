import { deepEqual, equal, ok, rejects } from 'node:assert/strict';
import { afterAll, describe, test } from 'vitest';
import type { ApiError } from '../../../shared/contract/errors.ts';
import type { EventData } from '../../../shared/contract/events/event-catalogue.ts';
import { type DestinationRecord, destinationKey, MemoryStore } from '../../../shared/destination/index.ts';
import { finishOrRevertMove, moveProject } from '../../../shared/move/index.ts';
import { type OrganizationRecord, organizationKey } from '../../../shared/organization/index.ts';
import { commit, newId, openSecret, StaleReadError, sealSecret, unsafeTenant } from '../../../shared/platform/index.ts';
import { databaseOf, type MoveRecord, type ProjectRecord, projectKey } from '../../../shared/project/index.ts';
import { type BackupRecord, backupKey, deleteBackup, eraseBackup } from '../../../shared/stored-backup/index.ts';
import { Fault } from '../../harness/aws/scripted-aws.ts';
import {
  createMoveEnv,
  destination,
  elsewhere,
  from,
  moveCaller,
  newBackup,
  privateKey,
  project,
  projectId,
  seenIn,
  start,
  stopEnv,
  to,
  unused,
  used,
} from '../../harness/env/move-env.ts';
import { crashPoints } from '../../harness/faults/crash-injector.ts';
import type { InMemoryTable } from '../../harness/table/in-memory-table.ts';

afterAll(stopEnv);
const time = { now: () => start };
const move = (organizationId = to.organizationId) => moveProject(moveCaller(), { projectId, organizationId, time });
/** Repeats the call after a stale read, as the request pipeline does. */
const moveWithRetry = async (): Promise<ProjectRecord> => {
  for (let tries = 0; ; tries++) {
    try {
      return await move();
    } catch (error) {
      if (!(error instanceof StaleReadError) || tries === 4) throw error;
    }
  }
};
const refused = (code: string) => (error: unknown) => (error as ApiError).code === code;
const leftovers = (table: InMemoryTable) =>
  [...table.items.values()].filter(({ sk, arriving, leaving }) => arriving || leaving || /^(MOVE|JOB)#/.test(String(sk?.S)));

test('moveProject: a backup chain moves with its project, and a chain shared with another project works on both sides', async () => {
  const table = await createMoveEnv(1);
  const records = table.find(`ORG#${from.organizationId}`, 'BACKUP#') as readonly BackupRecord[];
  const full = records.find((one) => one.projectId === projectId && one.status === 'completed');
  const link = (more: Partial<BackupRecord>): BackupRecord =>
    newBackup({ type: 'incremental', needs: [full!.archive.backup], ...more });
  const [own, foreign] = [link({ parentBackupId: full!.id }), link({ projectId: newId('project') })];
  const stayer = newBackup({ projectId: foreign.projectId, archive: full!.archive });
  for (const backup of [own, foreign, stayer]) table.put(backup);
  // The other project has the archive as well, so both organizations keep what they need.
  await move();
  deepEqual((await seenIn(table, to)).backups.includes(own.id), true);
  const { needs, parentBackupId } = table.get<BackupRecord>(backupKey.backup(to, own.id))!;
  deepEqual([needs, parentBackupId], [[full!.archive.backup], full!.id]);
});

test('moveProject: a move that would split a backup chain is rejected', async () => {
  for (const isOwn of [true, false]) {
    const table = await createMoveEnv(0);
    const elsewhereId = newId('project');
    const full = newBackup(isOwn ? { projectId: elsewhereId } : {});
    const needy = newBackup({ type: 'incremental', needs: [full.archive.backup], ...(!isOwn && { projectId: elsewhereId }) });
    for (const backup of [full, needy]) table.put(backup);
    await rejects(move(), { code: 'CONFLICT', details: { backupId: needy.id } });
    deepEqual(leftovers(table), []);
  }
});

test('moveProject: the project, its backups and its destinations are in the target organization only', async () => {
  const table = await createMoveEnv();
  const before = await seenIn(table, from);
  equal(before.backups.length, 31);
  const moved = await move();
  const [here, there] = [await seenIn(table, from), await seenIn(table, to)];
  deepEqual([here.project, here.backups], [undefined, []]);
  deepEqual(there.backups, before.backups);
  deepEqual(there.project, { ...moved, updatedAt: start.toISOString() });
  const { pk: _, ...kept } = project;
  deepEqual({ ...there.project, pk: undefined, updatedAt: '' }, { ...kept, pk: undefined, updatedAt: '' });
  deepEqual(here.counts, { projectCount: 1, backupCount: 70, storageUsed: 970_000 });
  deepEqual(there.counts, { projectCount: 1, backupCount: 30, storageUsed: 30_000 });
  deepEqual([here.destinations[used], there.destinations[used], there.destinations[unused]], [2, 30, 0]);
  deepEqual(leftovers(table), []);
  const actions = (organizationId: string) => table.find(`AUDIT#${organizationId}`).map(({ action }) => action);
  deepEqual([actions(from.organizationId), actions(to.organizationId)], [['project.moved'], ['project.moved']]);
});

test('moveProject: a backup record stays the same, with the archive identity that its objects are bound to', async () => {
  const table = await createMoveEnv(1);
  const [before] = table.find(`ORG#${from.organizationId}`, 'BACKUP#') as unknown as BackupRecord[];
  await move();
  deepEqual(table.get(backupKey.backup(to, before!.id)), { ...before!, ...backupKey.backup(to, before!.id) });
  equal(before!.archive.organization, from.organizationId);
});

test('moveProject: credentials are re-encrypted for the target organization', async () => {
  const table = await createMoveEnv(1);
  const context = (organization: string) => ({ organization, project: projectId, purpose: 'source-credentials' });
  const sealed = await sealSecret('the key', context(from.organizationId));
  await commit([{ put: { ...project, connection: { type: 'service_account', email: 'a@b.c', sealed } } }]);
  await move();
  const { connection } = table.get<ProjectRecord>(projectKey.project(to, projectId))!;
  ok(connection.type === 'service_account' && connection.sealed);
  equal(await openSecret(connection.sealed, context(to.organizationId)), 'the key');
  await rejects(openSecret(connection.sealed, context(from.organizationId)));
  const destination = table.get<{ sealed: Uint8Array }>(organizationKey.storageDestination(to, used))!;
  const purpose = { destination: used, purpose: 'destination-credentials' };
  ok(await openSecret(destination.sealed, { organization: to.organizationId, ...purpose }));
});

/** The caller is an admin of one of the organizations, the owner of the other. */
const moveAsAdmin = async (table: InMemoryTable, adminOf: typeof from | typeof to) => {
  const { actor } = moveCaller();
  table.put({ ...organizationKey.member(adminOf, actor.id), userId: actor.id, role: 'admin' });
  return moveProject(
    { ...moveCaller(), role: adminOf === from ? 'admin' : 'owner' },
    { projectId, organizationId: to.organizationId, time },
  );
};

for (const [side, adminOf] of [
  ['source', from],
  ['target', to],
] as const)
  test(`moveProject: an admin of the ${side} organization takes no credentials along`, async () => {
    const table = await createMoveEnv(1);
    const context = { organization: from.organizationId, project: projectId, purpose: 'source-credentials' };
    const sealed = await sealSecret('canary-google-key', context);
    table.put({ ...project, connection: { type: 'service_account', email: 'a@b.c', sealed } });
    table.put({
      ...(await destination(used, 3)),
      masked: { roleArn: 'arn:aws:iam::1:role/backup' },
      externalId: from.organizationId,
    });
    const moved = await moveAsAdmin(table, adminOf);
    deepEqual([moved.status, moved.connection], ['unauthorized', { type: 'service_account', email: 'a@b.c' }]);
    for (const id of [used, unused]) {
      const { sealed: stored, masked, externalId, status } = table.get<DestinationRecord>(destinationKey(to, id))!;
      deepEqual(
        { stored, masked, externalId, status },
        { stored: undefined, masked: {}, externalId: undefined, status: 'error' },
      );
    }
    ok(table.get<DestinationRecord>(destinationKey(from, used))?.sealed, 'the source organization keeps its destination');
    deepEqual((await seenIn(table, to)).destinations, { [used]: 1, [unused]: 0 });
    const [entry] = table.find(`AUDIT#${to.organizationId}`) as readonly { details?: Record<string, unknown> }[];
    const { storageDestinations, storageDestinationsWithoutCredentials, status } = entry!.details!;
    deepEqual([storageDestinations, status], [[], 'unauthorized']);
    equal((storageDestinationsWithoutCredentials as unknown[]).length, 2);
    const types = table.find(`ORG#${to.organizationId}`, 'EVENT#').map(({ type }) => String(type));
    deepEqual(
      types.filter((type) => type.startsWith('storage.')),
      ['storage.error', 'storage.error'],
    );
  });

test('moveProject: a workload identity of a destination stays, and one that the target has set up is kept', async () => {
  const table = await createMoveEnv(1);
  const [ours, theirs] = [{ audience: '//pool-of-source' }, { audience: '//pool-of-target' }];
  const { sealed: _sealed, ...location } = await destination(used, 3);
  table.put({ ...location, type: 'gcs', masked: {}, workloadIdentity: ours });
  const there = { ...destinationKey(to, unused), masked: {}, workloadIdentity: theirs, status: 'connected', backupCount: 0 };
  table.put({ ...location, id: unused, ...there });
  await move();
  const arrived = table.get<DestinationRecord>(destinationKey(to, used))!;
  deepEqual([arrived.status, arrived.sealed, arrived.workloadIdentity], ['error', undefined, undefined]);
  deepEqual(table.get<DestinationRecord>(destinationKey(from, used))?.workloadIdentity, ours);
  const kept = table.get<DestinationRecord>(destinationKey(to, unused))!;
  deepEqual([kept.status, kept.sealed, kept.workloadIdentity], ['connected', undefined, theirs]);
});

test("moveProject: an admin does not take another user's grant along, even if that user is a member of both", async () => {
  const table = await createMoveEnv(1);
  const userId = newId('user');
  table.put({ ...organizationKey.member(to, userId), userId, role: 'viewer' });
  table.put({ ...project, connection: { type: 'user', userId, email: 'boss@example.com' } });
  const { connection, status } = await moveAsAdmin(table, from);
  deepEqual([connection, status], [{ type: 'user', email: 'boss@example.com' }, 'unauthorized']);
});

test("moveProject: an admin's own grant stays usable", async () => {
  const { connection, status } = await moveAsAdmin(await createMoveEnv(1), from);
  deepEqual([connection, status], [project.connection, 'connected']);
});

test('moveProject: credentials that stayed behind arrive when the owner of both organizations moves the project', async () => {
  const table = await createMoveEnv(1);
  await moveAsAdmin(table, from);
  const { actor } = moveCaller();
  table.put({ ...organizationKey.member(from, actor.id), userId: actor.id, role: 'owner' });
  await moveBack(table);
  await move();
  const { sealed, status, masked } = table.get<DestinationRecord>(destinationKey(to, used))!;
  deepEqual([status, masked], ['connected', { secretAccessKey: '********' }]);
  const context = { organization: to.organizationId, destination: used, purpose: 'destination-credentials' };
  ok((await openSecret(sealed!, context)).includes(privateKey));
  deepEqual((await seenIn(table, to)).destinations, { [used]: 1, [unused]: 0 });
});

test('moveProject: a project connected by a user who is no member of the target becomes unauthorized', async () => {
  const table = await createMoveEnv(1);
  const connection = { type: 'user', userId: newId('user'), email: 'b@example.com' } as const;
  await commit([{ put: { ...project, connection } }]);
  equal((await move()).status, 'unauthorized');
  equal((await seenIn(table, to)).project?.status, 'unauthorized');
});

test('moveProject: both organizations know the objects that a remaining backup shares with a moved one', async () => {
  const table = await createMoveEnv(1);
  const rows = table.find(`ORG#${from.organizationId}`, 'BACKUP#') as unknown as BackupRecord[];
  const [own, sharing] = [rows.find((row) => row.projectId === projectId)!, rows.at(-1)!];
  equal(sharing.archive.backup, own.id);
  await move();
  const sharers = (organizationId: string) =>
    table.find(`ORG#${organizationId}`, `ARCHIVE#${own.id}#`).map(({ backupId }) => backupId);
  deepEqual(sharers(from.organizationId).sort(), [own.id, sharing.id].sort());
  deepEqual(sharers(to.organizationId).sort(), [own.id, sharing.id].sort());
});

/** Moves the project from `to` back to `from`. */
const moveBack = (table: InMemoryTable) => {
  const organization = table.get<OrganizationRecord>(organizationKey.organization(to))!;
  return moveProject({ ...moveCaller(), tenant: to, organization }, { projectId, organizationId: from.organizationId, time });
};
const linksOf = (table: InMemoryTable, organizationId: string, archiveId: string) =>
  table
    .find(`ORG#${organizationId}`, `ARCHIVE#${archiveId}#`)
    .map(({ backupId, movedTo }) => [backupId, movedTo])
    .sort();

test('moveProject: the source organization records the new owner of the objects until the project returns', async () => {
  const table = await createMoveEnv(3);
  const [own] = table.find(`ORG#${from.organizationId}`, 'BACKUP#').slice(1) as unknown as BackupRecord[];
  await move();
  deepEqual(linksOf(table, from.organizationId, own!.id), [[own!.id, to.organizationId]]);
  deepEqual(linksOf(table, to.organizationId, own!.id), [[own!.id, undefined]]);
  await moveBack(table);
  deepEqual(linksOf(table, from.organizationId, own!.id), [[own!.id, undefined]]);
  deepEqual(linksOf(table, to.organizationId, own!.id), [[own!.id, from.organizationId]]);
});

test('revertMove: a reverted move back keeps the recorded owner of the objects', async () => {
  const table = await createMoveEnv(3);
  const [own] = table.find(`ORG#${from.organizationId}`, 'BACKUP#').slice(1) as unknown as BackupRecord[];
  await move();
  let writes = 0;
  // Fails after the copies are made.
  table.onWrite = (when) => (when === 'before' && ++writes > 2 ? new Fault('AccessDeniedException') : undefined);
  await rejects(moveBack(table));
  table.onWrite = () => undefined;
  deepEqual(linksOf(table, from.organizationId, own!.id), [[own!.id, to.organizationId]]);
  const [begun] = table.find(`ORG#${to.organizationId}`, 'MOVE#') as unknown as MoveRecord[];
  const later = { now: () => new Date(start.getTime() + 120_000) };
  const task = { projectId, moveId: begun!.id };
  await finishOrRevertMove(to, {
    task,
    tenantOf: (id) => unsafeTenant(id, 'record'),
    until: new Date(start.getTime() + 600_000),
    time: later,
  });
  deepEqual(leftovers(table), []);
  deepEqual(linksOf(table, from.organizationId, own!.id), [[own!.id, to.organizationId]]);
  deepEqual(linksOf(table, to.organizationId, own!.id), [[own!.id, undefined]]);
});

test('eraseBackup: a backup that shares objects with a moved backup is erased without them', async () => {
  const table = await createMoveEnv(1);
  const rows = table.find(`ORG#${from.organizationId}`, 'BACKUP#') as unknown as BackupRecord[];
  const [own, sharing] = [rows.find((row) => row.projectId === projectId)!, rows.at(-1)!];
  await commit([{ put: { ...sharing, path: own.path } }]);
  await move();
  const store = new MemoryStore();
  await store.put('manifest', Buffer.from('x'));
  const open = async (_tenant: unknown, _destination: unknown, path: string) => (path === own.path ? store : new MemoryStore());
  await commit([{ put: { ...sharing, path: own.path, status: 'deleted' } }]);
  await eraseBackup(from, { backupId: sharing.id, open });
  equal(store.objects.size, 1);
});

test('moveProject: the audit entries of both organizations name the destinations that were copied', async () => {
  const table = await createMoveEnv(1);
  const named = (organizationId: string) =>
    table
      .find(`AUDIT#${organizationId}`)
      .map(({ details }) =>
        (details as { storageDestinations: { id: string }[] }).storageDestinations.map(({ id }) => id).sort(),
      );
  await move();
  for (const { organizationId } of [from, to]) deepEqual(named(organizationId), [[used, unused].sort()]);
  await moveBack(table);
  for (const { organizationId } of [from, to]) ok(named(organizationId).some((ids) => ids.length === 0));
});

test('moveProject: storage.connected is emitted in the target organization for destinations that are new there', async () => {
  const table = await createMoveEnv(1);
  const connectedIn = ({ organizationId }: typeof to) =>
    table
      .find(`ORG#${organizationId}`, 'EVENT#')
      .filter(({ type }) => type === 'storage.connected')
      .map(({ data }) => data as EventData<'storage.connected'>);
  await move();
  deepEqual(
    connectedIn(to)
      .map(({ storage }) => storage.id)
      .sort(),
    [used, unused].sort(),
  );
  ok(connectedIn(to).every(({ organization }) => organization.id === to.organizationId));
  await moveBack(table);
  deepEqual([connectedIn(to).length, connectedIn(from).length], [2, 0]);
});

test('moveProject: a project can move and return', async () => {
  const table = await createMoveEnv(3);
  const before = await seenIn(table, from);
  await move();
  await moveBack(table);
  const back = await seenIn(table, from);
  deepEqual(back, { ...before, project: { ...project, updatedAt: start.toISOString() } });
  deepEqual((await seenIn(table, to)).backups, []);
  deepEqual(leftovers(table), []);
});

describe('moveProject: after a crash at any write the project is in one organization, and', () => {
  const dieAt = (table: InMemoryTable, n: number, dies: 'before' | 'after') => {
    let [write, isDead] = [0, false];
    table.onWrite = (when) => {
      if (when === 'before') write += 1;
      if (write === n && when === dies) isDead = true;
      return isDead ? new Fault('AccessDeniedException') : undefined;
    };
  };
  const writesOfAll = 7;
  for (const { at: n, when: dies } of crashPoints(writesOfAll)) {
    const die = async () => {
      const table = await createMoveEnv();
      const before = await seenIn(table, from);
      const empty = await seenIn(table, to);
      dieAt(table, n, dies);
      await rejects(move());
      table.onWrite = () => undefined;
      const [here, there] = [await seenIn(table, from), await seenIn(table, to)];
      const isOld = here.project !== undefined;
      deepEqual(isOld ? here : there.backups, isOld ? before : before.backups, 'the organization with the project has all of it');
      deepEqual(isOld ? there : here.backups, isOld ? empty : [], 'the other organization shows nothing');
      return { table, before, isOld };
    };
    test(`the same call continues (${dies} write ${n})`, async () => {
      const { table, before } = await die();
      const moved = await moveWithRetry();
      deepEqual(moved.pk, `ORG#${to.organizationId}`);
      const there = await seenIn(table, to);
      deepEqual([there.backups, there.counts.backupCount], [before.backups, 30]);
      deepEqual([(await seenIn(table, from)).backups, leftovers(table)], [[], []]);
    });
    test(`the task finishes or reverts the move (${dies} write ${n})`, async () => {
      const { table, before, isOld } = await die();
      const [begun] = table.find(`ORG#${from.organizationId}`, 'MOVE#') as unknown as MoveRecord[];
      const later = { now: () => new Date(start.getTime() + 120_000) };
      const until = new Date(start.getTime() + 600_000);
      const task = { projectId, moveId: begun?.id ?? '' };
      await finishOrRevertMove(from, { task, tenantOf: (id) => unsafeTenant(id, 'record'), until, time: later });
      deepEqual(leftovers(table), []);
      deepEqual((await seenIn(table, isOld ? from : to)).backups, before.backups);
      if (isOld) deepEqual(await seenIn(table, from), before);
    });
  }
  test('all writes of a move are covered', async () => {
    const table = await createMoveEnv();
    let writes = 0;
    table.onWrite = (when) => {
      if (when === 'before') writes += 1;
      return undefined;
    };
    await move();
    equal(writes, writesOfAll);
  });
});

test('finishOrRevertMove: a move whose call may still be running is left alone', async () => {
  const table = await createMoveEnv(30);
  table.onWrite = (when) =>
    when === 'before' && table.find('ORG#', 'MOVE#').length > 0 ? new Fault('AccessDeniedException') : undefined;
  await rejects(move());
  table.onWrite = () => undefined;
  const [begun] = table.find(`ORG#${from.organizationId}`, 'MOVE#') as unknown as MoveRecord[];
  const task = { projectId, moveId: begun!.id };
  await rejects(
    finishOrRevertMove(from, { task, tenantOf: (id) => unsafeTenant(id, 'record'), until: start, time }),
    /may still be running/,
  );
  await rejects(
    moveProject(moveCaller(), { projectId, organizationId: elsewhere.organizationId, time }),
    refused('JOB_IN_PROGRESS'),
  );
});

test('moveProject: two concurrent calls move the project once', async () => {
  const table = await createMoveEnv();
  const results = await Promise.allSettled([moveWithRetry(), moveWithRetry()]);
  const lost = results.filter((result) => result.status === 'rejected');
  ok(lost.length < 2 && lost.every(({ reason }) => refused('JOB_IN_PROGRESS')(reason)), String(lost[0]?.reason));
  const there = await seenIn(table, to);
  deepEqual([there.counts.backupCount, there.backups.length], [30, 31]);
  equal(table.find(`AUDIT#${to.organizationId}`).length, 1);
  deepEqual(leftovers(table), []);
});

test('deleteBackup: a leaving backup cannot be deleted', async () => {
  const table = await createMoveEnv(1);
  const [row] = table.find(`ORG#${from.organizationId}`, 'BACKUP#') as unknown as BackupRecord[];
  const change = deleteBackup(from, { backup: row!, child: undefined, now: start });
  await commit([{ put: { ...row!, leaving: 'mov_1' } }]);
  await rejects(commit(change.writes), StaleReadError);
  try {
    deleteBackup(from, { backup: { ...row!, leaving: 'mov_1' }, child: undefined, now: start });
    ok(false);
  } catch (error) {
    equal((error as ApiError).code, 'JOB_IN_PROGRESS');
  }
});

for (const [what, more, code] of [
  ['is running', { status: 'running' }, 'JOB_IN_PROGRESS'],
  ['is pending', { status: 'pending' }, 'JOB_IN_PROGRESS'],
  [
    'is being verified',
    { verification: { status: 'running', depth: 'full', checkedAt: start.toISOString(), objects: 0, findings: [] } },
    'JOB_IN_PROGRESS',
  ],
  ['is being restored', { restoring: 1 }, 'JOB_IN_PROGRESS'],
  ['is encrypted with a passphrase', { encryption: { mode: 'customer', keyId: 'k' } }, 'CONFLICT'],
] as const)
  test(`moveProject: a project with a backup that ${what} is not moved`, async () => {
    const table = await createMoveEnv(2);
    await commit([{ put: newBackup(more as Partial<BackupRecord>) }]);
    const before = new Map(table.items);
    await rejects(move(), refused(code));
    deepEqual(table.items, before);
  });

test('moveProject: a project whose cancelled backup is being cleaned up is not moved', async () => {
  await createMoveEnv(1);
  const cancelled = newBackup({ status: 'cancelled' });
  await commit([{ put: cancelled }, { put: { ...backupKey.running(from, cancelled.id), backupId: cancelled.id } }]);
  await rejects(move(), refused('JOB_IN_PROGRESS'));
});

test('moveProject: the target of a restore test is not moved before the test has ended', async () => {
  const table = await createMoveEnv();
  const { sourceProjectId, databaseId } = project;
  const lock = projectKey.databaseTest(from, databaseOf({ sourceProjectId, databaseId }));
  table.put({ ...lock, runId: 'rtr_1' });
  await rejects(move(), refused('JOB_IN_PROGRESS'));
  deepEqual(leftovers(table), []);
  await commit([{ remove: lock }]);
  await move();
});

test('moveProject: a move to the current organization changes nothing', async () => {
  const table = await createMoveEnv(1);
  const before = new Map(table.items);
  deepEqual(await move(from.organizationId), project);
  deepEqual(table.items, before);
});

for (const [what, role, code] of [
  ['no member', undefined, 'FORBIDDEN'],
  ['viewer', 'viewer', 'PERMISSION_DENIED'],
  ['member', 'member', 'PERMISSION_DENIED'],
] as const)
  test(`moveProject: a caller with role ${what} in the target organization is rejected with ${code}`, async () => {
    const table = await createMoveEnv(1);
    const member = organizationKey.member(to, moveCaller().actor.id);
    await commit([role ? { put: { ...member, userId: moveCaller().actor.id, role } } : { remove: member }]);
    const before = new Map(table.items);
    await rejects(move(), (error) => {
      equal((error as ApiError).code, code);
      if (role) deepEqual((error as ApiError).details, { requiredRole: 'admin', currentRole: role });
      return true;
    });
    deepEqual(table.items, before);
  });

test('moveProject: a member, a service account, and unknown ids are rejected', async () => {
  await createMoveEnv(1);
  const asMember = moveProject({ ...moveCaller(), role: 'member' }, { projectId, organizationId: to.organizationId, time });
  await rejects(asMember, (error) => {
    deepEqual((error as ApiError).details, { requiredRole: 'admin', currentRole: 'member' });
    return refused('PERMISSION_DENIED')(error);
  });
  const actor = { type: 'service_account', id: newId('serviceAccount'), email: null } as const;
  await rejects(
    moveProject({ ...moveCaller(), role: undefined, actor }, { projectId, organizationId: to.organizationId, time }),
    refused('FORBIDDEN'),
  );
  await rejects(move(newId('organization')), refused('ORGANIZATION_NOT_FOUND'));
  await rejects(
    moveProject(moveCaller(), { projectId: newId('project'), organizationId: to.organizationId, time }),
    refused('PROJECT_NOT_FOUND'),
  );
  await rejects(
    moveProject(moveCaller(), { projectId: 'x', organizationId: to.organizationId, time }),
    refused('PROJECT_NOT_FOUND'),
  );
});
