/** The restores API: valid and refused requests, and the effects of each call. */
import { deepEqual, equal, match, ok } from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { beforeAll, describe, test } from 'vitest';
import type * as z from 'zod/mini';
import { auditLogs } from '../../../shared/contract/endpoints/audit-logs.ts';
import { backups } from '../../../shared/contract/endpoints/backups.ts';
import { projects } from '../../../shared/contract/endpoints/projects.ts';
import { restores } from '../../../shared/contract/endpoints/restores.ts';
import type { Backup } from '../../../shared/contract/models/backup.ts';
import { RestoreJob } from '../../../shared/contract/models/restore.ts';
import { newId } from '../../../shared/platform/index.ts';
import { strictCopy } from '../../harness/builders/strict-copy.ts';
import { newProject, seed, startBackup, takeBackup } from '../../harness/stage/backup.ts';
import { call } from '../../harness/stage/client.ts';
import { addFault, revokeSource } from '../../harness/stage/firestore-faults.ts';
import { newOrganization, type TestOrganization } from '../../harness/stage/organization.ts';
import { contentsOf, endOfRestore, planRestore, type RestoreData, restore, startRestore } from '../../harness/stage/restore.ts';
import { getItem, itemsOf } from '../../harness/stage/table.ts';

let organization: TestOrganization;
let backup: z.output<typeof Backup>;
const by = (at: TestOrganization = organization) => ({ token: at.owner.accessToken, org: at.id });
const create = (body: object, more: object = {}) => call(restores.create, { ...by(), body, ...more });
const on = (restoreJobId: string, more: object = {}) => ({ ...by(), params: { restoreJobId }, ...more });
const lockOf = (projectId: string) => getItem({ pk: `ORG#${organization.id}`, sk: `JOB#${projectId}` });

beforeAll(async () => {
  organization = await newOrganization();
  backup = await takeBackup(organization);
});

describe('a restore request with bad input is refused, and nothing starts', () => {
  const wrong: readonly (readonly [string, object, string])[] = [
    ['no backup', { backupId: undefined }, 'backupId'],
    ['a backup that is none', { backupId: 'x' }, 'backupId'],
    ['nothing of a backup', { backupId: null }, 'backupId'],
    ['a point in time beside a backup', { pointInTime: '2026-01-01T00:00:00Z' }, 'pointInTime'],
    ['a time that is none', { backupId: undefined, pointInTime: 'yesterday' }, 'pointInTime'],
    ['a time without a project', { backupId: undefined, pointInTime: '2026-01-01T00:00:00Z' }, 'projectId'],
    ['a target that is none', { targetProjectId: 'x' }, 'targetProjectId'],
    ['no collections', { collections: [] }, 'collections'],
    ['all and one', { collections: ['*', 'a'] }, 'collections'],
    ['a document for a collection', { collections: ['a/b'] }, 'collections.0'],
    ['two lists that differ', { collections: ['a'], options: { collections: ['b'] } }, 'collections'],
    ['no documents', { documentIds: [] }, 'documentIds'],
    ['a bare id of no collection', { documentIds: ['ada'] }, 'documentIds.0'],
    ['a collection for a document', { documentIds: ['users/ada/notes'] }, 'documentIds.0'],
    ['a document elsewhere', { collections: ['users'], documentIds: ['orders/1'] }, 'documentIds.0'],
    ['1,001 documents', { documentIds: Array.from({ length: 1_001 }, (_, n) => `a/${n}`) }, 'documentIds'],
    ['another merge mode', { options: { mergeMode: 'replace' } }, 'options.mergeMode'],
    ['a mode that is none', { options: { mergeMode: 7 } }, 'options.mergeMode'],
    // A mistyped dryRun must not become a real restore.
    ['a mistyped dryRun', { options: { dryrun: true } }, 'options.dryrun'],
    ['dryRun in the wrong place', { dryRun: true }, 'dryRun'],
    ['dryRun as text', { options: { dryRun: 'true' } }, 'options.dryRun'],
    ['users that the backup does not have', { options: { includeAuthUsers: true } }, 'options.includeAuthUsers'],
    ['no writes at all', { options: { maxWritesPerSecond: 0 } }, 'options.maxWritesPerSecond'],
    ['a digest that no plan has', { options: { deleteDigest: 'all' } }, 'options.deleteDigest'],
    ['options that are none', { options: [] }, 'options'],
  ];
  for (const [what, more, field] of wrong)
    test(what, async () => {
      const answer = await create({ backupId: backup.id, ...more });
      deepEqual([answer.status, answer.body.error.code], [400, 'VALIDATION_ERROR'], answer.text);
      equal(answer.body.error.details.field, field, answer.text);
    });

  test('an unknown merge mode, with the allowed values', async () => {
    const { body } = await create({ backupId: backup.id, options: { mergeMode: 'replace' } });
    deepEqual(body.error.details.allowedValues, ['overwrite', 'skip_existing', 'merge', 'rollback']);
  });

  test('a point in time without point-in-time recovery', async () => {
    const { status, body } = await create({ projectId: backup.projectId, pointInTime: '2026-01-01T00:00:00Z' });
    deepEqual([status, body.error.details.field], [400, 'pointInTime']);
    match(body.error.message, /point-in-time recovery is not enabled/i);
  });

  test('missing resources, the backup first', async () => {
    const code = async (body: object) => {
      const { status, body: answer } = await create(body);
      return [status, answer.error.code];
    };
    const [backupId, projectId] = [newId('backup'), newId('project')];
    deepEqual(await code({ backupId }), [404, 'BACKUP_NOT_FOUND']);
    deepEqual(await code({ backupId, targetProjectId: projectId }), [404, 'BACKUP_NOT_FOUND']);
    deepEqual(await code({ backupId, options: { dryRun: true } }), [404, 'BACKUP_NOT_FOUND']);
    deepEqual(await code({ backupId: backup.id, targetProjectId: projectId }), [404, 'PROJECT_NOT_FOUND']);
    const options = { safetyStorageDestinationId: newId('storageDestination') };
    deepEqual(await code({ backupId: backup.id, options }), [404, 'STORAGE_NOT_FOUND']);
    const foreign = await newProject(await newOrganization());
    for (const id of [projectId, foreign.id])
      deepEqual(await code({ projectId: id, pointInTime: '2026-01-01T00:00:00Z' }), [404, 'PROJECT_NOT_FOUND']);
  });

  test('a backup that is not completed', async () => {
    const slow = await newProject(organization);
    await seed(slow.sourceProjectId, { 'a/b': {} });
    const ready = await addFault({ project: slow.sourceProjectId, delayMs: 2_000, times: 100 });
    const { id } = await startBackup(organization, { projectId: slow.id, storageDestinationId: backup.storageDestination.id });
    const { status, body } = await create({ backupId: id });
    deepEqual([status, body.error.code], [409, 'CONFLICT']);
    ok(['pending', 'running'].includes(String(body.error.details.status)));
    await call(backups.cancel, { ...by(), params: { backupId: id } });
    equal((await create({ backupId: id })).body.error.details.status, 'cancelled');
    // The tests below compare the table, which the clean-up changes.
    await ready();
    while (await getItem({ pk: 'RUNNING#BACKUP', sk: `${organization.id}#${id}` })) await pause(100);
  });

  test('and leaves no restore, lock or task', async () => {
    const items = await itemsOf(`ORG#${organization.id}`);
    deepEqual(
      items.filter(({ sk }) => sk.startsWith('RESTORE#') || sk === `JOB#${backup.projectId}`),
      [],
    );
    deepEqual((await call(restores.list, by())).body.data, []);
  });
});

/** Waits until the table stops changing, because the purge of deleted backups may still run, and returns its items. */
const settledItems = async () => {
  for (let last = await itemsOf(`ORG#${organization.id}`); ; ) {
    await pause(1_000);
    const items = await itemsOf(`ORG#${organization.id}`);
    if (isDeepStrictEqual(items, last)) return items;
    last = items;
  }
};

describe('a dry run', () => {
  test('reports the planned actions and does none of them', async () => {
    const target = await newProject(organization);
    await seed(target.sourceProjectId, { 'users/ada': { name: { stringValue: 'Other' } }, 'users/extra': {} });
    const before = [await settledItems(), await contentsOf(target.sourceProjectId)];
    const body = { backupId: backup.id, targetProjectId: target.id, documentIds: undefined };
    const plan = await planRestore(organization, { ...body, options: { mergeMode: 'rollback' } });
    deepEqual(
      { create: plan.create, overwrite: plan.overwrite, skip: plan.skip, delete: plan.delete, unchanged: plan.unchanged },
      { create: 2, overwrite: 1, skip: 0, delete: 1, unchanged: 0 },
    );
    deepEqual(
      { dryRun: plan.dryRun, backupId: plan.backupId, projectId: plan.projectId, targetProjectId: plan.targetProjectId },
      { dryRun: true, backupId: backup.id, projectId: backup.projectId, targetProjectId: target.id },
    );
    deepEqual([plan.mergeMode, plan.notFound], ['rollback', []]);
    deepEqual(
      plan.changes.toSorted((a, b) => (a.path < b.path ? -1 : 1)),
      [
        { path: 'users/ada', action: 'overwrite' },
        { path: 'users/ada/notes/g', action: 'create' },
        { path: 'users/extra', action: 'delete' },
        { path: 'users/grace', action: 'create' },
      ],
    );
    const skipping = await planRestore(organization, { ...body, options: { mergeMode: 'Skip Existing' } });
    deepEqual(
      { create: skipping.create, skip: skipping.skip, overwrite: skipping.overwrite, delete: skipping.delete },
      { create: 2, skip: 1, overwrite: 0, delete: 0 },
    );
    deepEqual([await itemsOf(`ORG#${organization.id}`), await contentsOf(target.sourceProjectId)], before);
  });

  test('names requested documents that are not in the backup', async () => {
    const plan = await planRestore(organization, {
      backupId: backup.id,
      collections: ['users', 'nowhere'],
      documentIds: ['ada', 'users/nobody'],
    });
    deepEqual(
      { unchanged: plan.unchanged, create: plan.create, overwrite: plan.overwrite },
      { unchanged: 2, create: 0, overwrite: 0 },
    );
    deepEqual([plan.notFound, plan.unknownCollections], [['users/nobody'], ['nowhere']]);
  });

  test('and a restore of names that are not in the backup are refused with them', async () => {
    for (const dryRun of [true, false])
      for (const [code, names] of [
        ['COLLECTION_NOT_FOUND', { collections: ['nowhere'] }],
        ['DOCUMENT_NOT_FOUND', { documentIds: ['users/nobody'] }],
      ] as const) {
        const { status, body } = await call(restores.create, {
          ...by(),
          body: { backupId: backup.id, ...names, options: { dryRun } },
        });
        const { error } = body as unknown as { error: { code: string; details: unknown } };
        deepEqual(
          { status, code: error.code, details: error.details },
          { status: 404, code, details: { names: Object.values(names)[0], count: 1 } },
        );
      }
  });

  test('is audited as a read of the backup', async () => {
    const { body } = await call(auditLogs.list, { ...by(), query: { action: 'restore.planned' } });
    deepEqual(body.data[0]?.resource, { type: 'backup', id: backup.id });
  });

  test("for a target that denies access is refused, and the project's status shows it", async () => {
    const closed = await newProject(organization);
    await revokeSource(closed.sourceProjectId);
    const answer = await create({ backupId: backup.id, targetProjectId: closed.id, options: { dryRun: true } });
    deepEqual([answer.status, answer.body.error.code], [422, 'SOURCE_AUTH_ERROR'], answer.text);
    const { body } = await call(projects.get, { ...by(), params: { projectId: closed.id } });
    equal(body.data.status, 'unauthorized');
  });
});

describe('a restore', () => {
  let target: Awaited<ReturnType<typeof newProject>>;
  let first: RestoreData;
  beforeAll(async () => {
    target = await newProject(organization);
  });

  test('returns 202 with the job and its request', async () => {
    const answer = await create({
      backupId: backup.id,
      targetProjectId: target.id,
      collections: ['users'],
      documentIds: ['ada', 'users/grace'],
      options: { mergeMode: 'Skip Existing', includeSubcollections: false, maxWritesPerSecond: 500 },
    });
    equal(answer.status, 202, answer.text);
    first = strictCopy(RestoreJob).parse(answer.body.data);
    deepEqual(
      { status: first.status, phase: first.phase, mergeMode: first.mergeMode, dryRun: first.dryRun },
      { status: 'pending', phase: 'Initializing', mergeMode: 'skip_existing', dryRun: false },
    );
    deepEqual(
      { backupId: first.backupId, projectId: first.projectId, targetProjectId: first.targetProjectId },
      { backupId: backup.id, projectId: backup.projectId, targetProjectId: target.id },
    );
    deepEqual(
      { collections: first.collections, documentIds: first.documentIds, includeSubcollections: first.includeSubcollections },
      { collections: ['users'], documentIds: ['ada', 'users/grace'], includeSubcollections: false },
    );
    deepEqual(
      { percent: first.progress.percent, plan: first.plan, undoUntil: first.undoUntil, error: first.error },
      { percent: 0, plan: null, undoUntil: null, error: null },
    );
    const log = await call(auditLogs.list, { ...by(), query: { action: 'restore.created' } });
    ok(log.body.data.some(({ resource }) => resource.type === 'restore' && resource.id === first.restoreJobId));
    const ended = await endOfRestore(organization, first.restoreJobId);
    deepEqual(
      { status: ended.status, documentsRestored: ended.documentsRestored, error: ended.error },
      { status: 'completed', documentsRestored: 2, error: null },
    );
    deepEqual(Object.keys(await contentsOf(target.sourceProjectId)).sort(), ['users/ada', 'users/grace']);
  });

  test('is in the history of both projects, newest first, page by page', async () => {
    const second = await restore(organization, { backupId: backup.id, targetProjectId: target.id });
    const list = async (query: Record<string, string>) => (await call(restores.list, { ...by(), query })).body;
    const { data } = await list({ projectId: target.id });
    deepEqual(
      data.map(({ restoreJobId, status, jobStatus }) => [restoreJobId, status, jobStatus]),
      [second, first].map(({ restoreJobId }) => [restoreJobId, 'Success', 'completed']),
    );
    deepEqual([data[0]?.targetProject, data[0]?.sourceBackup.id], [{ id: target.id, name: target.name }, backup.id]);
    const ofSource = (await list({ projectId: backup.projectId })).data.map(({ restoreJobId }) => restoreJobId);
    deepEqual(
      [second, first].filter(({ restoreJobId }) => !ofSource.includes(restoreJobId)),
      [],
    );
    deepEqual((await list({ projectId: newId('project') })).data, []);
    const page = await list({ projectId: target.id, limit: '1' });
    deepEqual([page.data.length, page.pagination.hasMore], [1, true]);
    const rest = await list({ projectId: target.id, limit: '1', cursor: page.pagination.nextCursor! });
    equal(rest.data[0]?.restoreJobId, first.restoreJobId);
    equal((await call(restores.list, { ...by(), query: { project: target.id } })).body.error.details.field, 'project');
  });

  test('can be undone once, and the undo can be undone', async () => {
    const before = await contentsOf(target.sourceProjectId);
    const { body } = await call(restores.list, { ...by(), query: { projectId: target.id, limit: '1' } });
    const { restoreJobId } = body.data[0]!;
    const begun = await call(restores.undo, on(restoreJobId));
    equal(begun.status, 202, begun.text);
    deepEqual(
      { undoOf: begun.body.data.undoOf, mergeMode: begun.body.data.mergeMode, status: begun.body.data.status },
      { undoOf: restoreJobId, mergeMode: 'rollback', status: 'pending' },
    );
    const undone = await endOfRestore(organization, begun.body.data.restoreJobId);
    equal(undone.status, 'completed', JSON.stringify(undone.error));
    deepEqual(Object.keys(await contentsOf(target.sourceProjectId)).sort(), ['users/ada', 'users/grace']);
    equal((await call(restores.get, on(restoreJobId))).body.data.undoneBy, undone.restoreJobId);
    const again = await call(restores.undo, on(restoreJobId));
    deepEqual([again.status, again.body.error.code], [409, 'CONFLICT']);
    match(again.body.error.message, new RegExp(`undo ${undone.restoreJobId}`));
    const redo = await call(restores.undo, on(undone.restoreJobId));
    equal((await endOfRestore(organization, redo.body.data.restoreJobId)).status, 'completed');
    deepEqual(await contentsOf(target.sourceProjectId), before);
  });

  test('that completed cannot be cancelled or resumed; one without a safety backup cannot be undone', async () => {
    for (const [row, message] of [
      [restores.cancel, /pending or running/],
      [restores.resume, /nothing left to resume/],
    ] as const) {
      const { status, body } = await call(row, on(first.restoreJobId));
      deepEqual(
        { status, code: body.error.code, jobStatus: body.error.details.status },
        { status: 409, code: 'CONFLICT', jobStatus: 'completed' },
      );
      match(body.error.message, message);
    }
    const { id: targetProjectId } = await newProject(organization);
    const bare = await restore(organization, { backupId: backup.id, targetProjectId, options: { safetyBackup: false } });
    deepEqual([bare.safetyBackupId, bare.undoUntil], [null, null]);
    const { status, body } = await call(restores.undo, on(bare.restoreJobId));
    deepEqual([status, body.error.code], [409, 'CONFLICT']);
    match(body.error.message, /without a safety backup/);
  });

  test('can use a safety backup as source, but not for a rollback', async () => {
    const { body } = await call(restores.list, { ...by(), query: { projectId: target.id, limit: '1' } });
    const { safetyBackupId } = (await call(restores.get, on(body.data[0]!.restoreJobId))).body.data;
    const answer = await create({ backupId: safetyBackupId, options: { mergeMode: 'rollback' } });
    deepEqual([answer.status, answer.body.error.details?.field], [400, 'options.mergeMode'], answer.text);
    match(answer.body.error.message, /undo/);
    await planRestore(organization, { backupId: safetyBackupId });
  });

  test('cannot be undone after its safety backup was deleted, and says so', async () => {
    const { id: targetProjectId } = await newProject(organization);
    const { restoreJobId, safetyBackupId, undoUntil } = await restore(organization, { backupId: backup.id, targetProjectId });
    ok(undoUntil !== null && safetyBackupId !== null);
    const removed = await call(backups.remove, { ...by(), params: { backupId: safetyBackupId } });
    equal(removed.status, 200, removed.text);
    equal((await call(restores.get, on(restoreJobId))).body.data.undoUntil, null);
    const { status, body } = await call(restores.undo, on(restoreJobId));
    deepEqual(
      { status, code: body.error.code, undoUntil: body.error.details.undoUntil },
      { status: 409, code: 'CONFLICT', undoUntil: null },
    );
    match(body.error.message, /safety backup was deleted/);
    const log = await call(auditLogs.list, { ...by(), query: { action: 'backup.deleted' } });
    deepEqual([log.body.data[0]?.resource.id, log.body.data[0]?.details.restoreJobId], [safetyBackupId, restoreJobId]);
  });
});

describe('a running restore', () => {
  test('blocks a second restore into its target and the deletion of its backup and target', async () => {
    const slow = await newProject(organization);
    // It runs as long as its target takes no writes.
    const fault = { method: 'BatchWrite', status: 'UNAVAILABLE', delayMs: 500, times: 1_000 };
    const ready = await addFault({ project: slow.sourceProjectId, ...fault });
    const body = { backupId: backup.id, targetProjectId: slow.id };
    const answers = await Promise.all([create(body), create(body)]);
    deepEqual(answers.map(({ status }) => status).sort(), [202, 409]);
    const { restoreJobId } = answers.find(({ status }) => status === 202)!.body.data as RestoreData;
    const { error } = answers.find(({ status }) => status === 409)!.body;
    deepEqual([error.code, error.details], ['JOB_IN_PROGRESS', { jobId: restoreJobId, kind: 'restore' }]);
    const others = [
      await call(backups.remove, { ...by(), params: { backupId: backup.id } }),
      await call(projects.remove, { ...by(), params: { projectId: slow.id } }),
      await call(backups.create, {
        ...by(),
        body: { projectId: slow.id, storageDestinationId: backup.storageDestination.id },
      }),
    ];
    for (const answer of others) deepEqual([answer.status, answer.body.error.code], [409, 'JOB_IN_PROGRESS'], answer.text);
    for (const row of [restores.resume, restores.undo]) {
      const answer = await call(row, on(restoreJobId));
      deepEqual([answer.status, answer.body.error.code], [409, 'CONFLICT']);
    }
    const line = (await call(restores.list, { ...by(), query: { projectId: slow.id } })).body.data[0];
    equal(line?.status, 'In Progress');

    const cancelled = await call(restores.cancel, on(restoreJobId));
    const { status, cancelling } = cancelled.body.data;
    deepEqual([cancelled.status, status === 'cancelled' || cancelling], [200, true]);
    // It ends, and its target is unlocked, when the workflow has stopped.
    await ready();
    const stopped = await endOfRestore(organization, restoreJobId);
    deepEqual([stopped.status, stopped.cancelling, stopped.error?.code], ['cancelled', false, 'CANCELLED']);
    deepEqual((await call(restores.cancel, on(restoreJobId))).body.error.details, { status: 'cancelled' });
    while (await lockOf(slow.id)) await pause(100);
    const resumed = await call(restores.resume, on(restoreJobId));
    deepEqual(
      { httpStatus: resumed.status, status: resumed.body.data.status, attempts: resumed.body.data.attempts },
      { httpStatus: 202, status: 'pending', attempts: 2 },
      resumed.text,
    );
    const ended = await endOfRestore(organization, restoreJobId);
    deepEqual(
      { status: ended.status, documentsRestored: ended.documentsRestored, attempts: ended.attempts },
      { status: 'completed', documentsRestored: 3, attempts: 2 },
      JSON.stringify(ended.error),
    );
    const reported = (await itemsOf(`ORG#${organization.id}`))
      .filter(
        ({ sk, data }) => sk.startsWith('EVENT#') && (data as { restore?: RestoreData }).restore?.restoreJobId === restoreJobId,
      )
      .map(({ type }) => String(type));
    deepEqual([reported.filter((type) => type === 'restore.failed').length, reported.at(-1)], [1, 'restore.completed']);
  });

  test('an unknown restore id', async () => {
    for (const row of [restores.get, restores.cancel, restores.resume, restores.undo])
      for (const id of [newId('restore'), backup.id, 'x']) {
        const { status, body } = await call(row, on(id));
        deepEqual([status, body.error.code], [404, 'RESTORE_NOT_FOUND'], row.id);
      }
  });
});

test('restore: a target whose access was lost fails with that reason', async () => {
  const closed = await newProject(organization);
  await revokeSource(closed.sourceProjectId);
  const { restoreJobId } = await startRestore(organization, { backupId: backup.id, targetProjectId: closed.id });
  const ended = await endOfRestore(organization, restoreJobId);
  equal(ended.status, 'failed');
  ok(['TARGET_PERMISSION_DENIED', 'SOURCE_AUTH_ERROR'].includes(ended.error!.code), ended.error!.code);
  deepEqual(
    { plan: ended.plan, undoUntil: ended.undoUntil, phase: ended.phase },
    { plan: null, undoUntil: null, phase: 'Initializing' },
  );
  const { body } = await call(restores.undo, on(restoreJobId));
  match(body.error.message, /before it wrote anything/);
});
