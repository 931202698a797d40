/** A backup from the request to the verified objects in the customer's bucket, through all functions and the workflow. */
import { deepEqual, equal, match, ok } from 'node:assert/strict';
import { beforeAll, describe, test } from 'vitest';
import type * as z from 'zod/mini';
import { backups } from '../../../shared/contract/endpoints/backups.ts';
import { organizations } from '../../../shared/contract/endpoints/organizations.ts';
import { projects } from '../../../shared/contract/endpoints/projects.ts';
import type { Backup } from '../../../shared/contract/models/backup.ts';
import { endOf, newDestination, newProject, seed, startBackup } from '../../harness/stage/backup.ts';
import { objectAt, objectsIn } from '../../harness/stage/bucket.ts';
import { call, stageVariable } from '../../harness/stage/client.ts';
import { addFault, revokeSource } from '../../harness/stage/firestore-faults.ts';
import { logs } from '../../harness/stage/function-log.ts';
import { newOrganization, type TestOrganization } from '../../harness/stage/organization.ts';
import { allItems, itemsOf } from '../../harness/stage/table.ts';
import { lookUntil } from '../../harness/time/look-until.ts';

type Shown = z.output<typeof Backup>;

let organization: TestOrganization;
const by = () => ({ token: organization.owner.accessToken, org: organization.id });
beforeAll(async () => {
  organization = await newOrganization();
});

const eventsOf = async (backupId: string) => {
  const items = await itemsOf(`ORG#${organization.id}`);
  return items
    .filter(({ sk }) => sk.startsWith('EVENT#'))
    .map((item) => item as unknown as { type: string; data: { backup?: Shown; progress?: Shown['progress'] } })
    .filter(({ data }) => data.backup?.id === backupId);
};

/** A backup's items other than its record, events and tasks. */
const notesOf = async (backupId: string): Promise<readonly string[]> => {
  const items = await Promise.all([itemsOf(`WORK#${organization.id}#${backupId}`), itemsOf('RUNNING#BACKUP')]);
  return items
    .flat()
    .map(({ pk, sk }) => `${pk} ${sk}`)
    .filter((key) => key.includes(backupId));
};

const canary = 'canary-b81c77e2';
const documents = Object.fromEntries(
  Array.from({ length: 300 }, (_, n) => [
    [`users/${n}`, { name: { stringValue: `${canary} ${n}` }, age: { integerValue: String(n) } }],
    [`ghosts/${n}/also-missing/${n}/notes/${canary}-${n}`, { at: { timestampValue: '2026-01-01T00:00:00.123456Z' } }],
  ]).flat(),
);

describe('a backup', () => {
  let backup: Shown;
  let bucket: string;
  let path: string;

  beforeAll(async () => {
    const [project, destination] = await Promise.all([
      newProject(organization),
      newDestination(organization, { prefix: 'nightly/backups' }),
    ]);
    await seed(project.sourceProjectId, documents);
    const { id } = await startBackup(organization, {
      ...{ projectId: project.id, storageDestinationId: destination.id, excludeCollections: ['m'], retention: 7 },
    });
    backup = await endOf(organization, id);
    ({ bucket } = destination);
    path = `nightly/backups/${project.id}/${id}`;
  });

  test('completes and describes its contents', () => {
    equal(backup.status, 'completed', JSON.stringify(backup.error));
    deepEqual(
      {
        phase: backup.phase,
        documentCount: backup.documentCount,
        countVerified: backup.countVerified,
        path: backup.path,
        progress: backup.progress,
      },
      {
        phase: 'finished',
        documentCount: 600,
        countVerified: true,
        path,
        progress: { percent: 100, documents: 600, totalDocuments: 600 },
      },
    );
    deepEqual(backup.collectionCounts, { users: 300, notes: 300 });
    ok(backup.cost.reads >= 600 && backup.cost.reads <= 610, `${backup.cost.reads} reads`);
    ok(backup.size > 0 && backup.size < backup.originalSize);
    equal(Date.parse(backup.expiresAt!) - Date.parse(backup.completedAt!), 7 * 24 * 3_600_000);
    equal(backup.duration, Date.parse(backup.completedAt!) - Date.parse(backup.startedAt!));
  });

  test('is stored as chunks, indexes, a key and a manifest of exactly the reported size', async () => {
    const names = Object.keys(await objectsIn(bucket));
    for (const name of names) match(name.slice(path.length), /^\/(key|manifest|(chunk|index)\/\d{8}-\d{4})$/);
    ok(names.includes(`${path}/manifest`) && names.includes(`${path}/key`) && names.length >= 6);
    const sizes = await Promise.all(names.map(async (name) => (await objectAt(bucket, name)).length));
    equal(
      sizes.reduce((sum, size) => sum + size, 0),
      backup.size,
    );
  });

  test('emits one event at its start, one per 10 % of progress and one at its end', async () => {
    const events = await eventsOf(backup.id);
    deepEqual(
      events.map(({ type, data }) => (data.progress ? `${type} ${data.progress.percent}` : type)).sort(),
      [
        'backup.started',
        'backup.completed',
        ...[10, 20, 30, 40, 50, 60, 70, 80, 90, 100].map((n) => `backup.progress ${n}`),
      ].sort(),
    );
    const completed = events.find(({ type }) => type === 'backup.completed')!.data.backup!;
    deepEqual(
      { size: completed.size, documentCount: completed.documentCount, status: completed.status },
      { size: backup.size, documentCount: 600, status: 'completed' },
    );
  });

  test('releases its project lock, updates the organization totals and deletes its work items', async () => {
    const { data } = (await call(organizations.current, by())).body;
    deepEqual([data.statistics.backupCount, data.statistics.storageUsed], [1, backup.size]);
    const project = (await call(projects.get, { ...by(), params: { projectId: backup.projectId } })).body.data;
    equal(project.lastBackupAt, backup.completedAt);
    // They are deleted after the backup has completed.
    await lookUntil(
      () => notesOf(backup.id),
      (notes) => notes.length === 0,
    );
    const items = await itemsOf(`ORG#${organization.id}`);
    deepEqual(
      items.filter(({ sk }) => sk === `JOB#${backup.projectId}`),
      [],
    );
  });

  test('leaks no document content into objects, logs, events, audit entries or table items', async () => {
    for (const name of Object.keys(await objectsIn(bucket))) {
      ok(!name.includes(canary));
      ok(!(await objectAt(bucket, name)).includes(canary), name);
    }
    ok(!logs().includes(canary));
    ok(!JSON.stringify(await allItems()).includes(canary));
  });
});

test('backup: a named database is backed up with its Firebase Authentication users', async () => {
  const [project, destination] = await Promise.all([
    newProject(organization, { databaseId: 'second' }),
    newDestination(organization),
  ]);
  await seed(project.sourceProjectId, { 'a/1': {} }, 'second');
  await seed(project.sourceProjectId, { 'a/1': {}, 'a/2': {} });
  const users = ['ada', 'grace'].map((localId) => ({ localId, email: `${localId}@example.com` }));
  const answer = await fetch(
    `http://${stageVariable('STAGE_FIRESTORE')}/v1/projects/${project.sourceProjectId}/accounts:batchCreate`,
    {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: 'Bearer owner' },
      body: JSON.stringify({ users }),
    },
  );
  ok(answer.ok, `${answer.status} ${await answer.text()}`);
  const { id } = await startBackup(organization, {
    ...{ projectId: project.id, storageDestinationId: destination.id, includeAuthUsers: true },
  });
  const backup = await endOf(organization, id);
  deepEqual(
    { status: backup.status, documentCount: backup.documentCount, authUsers: backup.authUsers },
    { status: 'completed', documentCount: 1, authUsers: 2 },
    JSON.stringify(backup.error),
  );
});

describe('a backup that fails', () => {
  const failing = async (fault: (sourceProjectId: string) => Promise<unknown>, more: object = {}) => {
    const [project, destination] = await Promise.all([newProject(organization), newDestination(organization)]);
    await seed(project.sourceProjectId, { 'a/1': {}, 'a/2': {}, 'z/1': {} });
    await fault(project.sourceProjectId);
    const { id } = await startBackup(organization, { projectId: project.id, storageDestinationId: destination.id, ...more });
    const backup = await endOf(organization, id);
    // The record is updated before the objects are deleted.
    await lookUntil(
      () => notesOf(id),
      (notes) => notes.length === 0,
    );
    deepEqual(await objectsIn(destination.bucket), {});
    equal((await eventsOf(id)).filter(({ type }) => type === 'backup.failed').length, 1);
    return { backup, project, destination };
  };

  test('reports COUNT_MISMATCH when the stream ends early with status OK', async () => {
    const { backup } = await failing((project) => addFault({ project, method: 'RunQuery', end: { afterMessages: 1 } }));
    deepEqual([backup.status, backup.error?.code], ['failed', 'COUNT_MISMATCH']);
  });

  test('reports SOURCE_AUTH_ERROR when the source denies access, and marks the project for reconnection', async () => {
    const { backup, project } = await failing((source) =>
      addFault({ project: source, method: 'RunQuery', status: 'PERMISSION_DENIED' }),
    );
    deepEqual([backup.status, backup.error?.code], ['failed', 'SOURCE_AUTH_ERROR']);
    const shown = (await call(projects.get, { ...by(), params: { projectId: project.id } })).body.data;
    equal(shown.status, 'unauthorized');
    await revokeSource(project.sourceProjectId, null);
  });

  test('reports SNAPSHOT_EXPIRED when its read time has expired', async () => {
    const message = 'The requested snapshot version is too old.';
    const { backup } = await failing((project) =>
      addFault({ project, method: 'RunQuery', status: 'FAILED_PRECONDITION', message }),
    );
    deepEqual([backup.status, backup.error?.code], ['failed', 'SNAPSHOT_EXPIRED']);
  });

  test('reports CANCELLED with the number of reads when it would exceed its read limit', async () => {
    const { backup } = await failing(async () => undefined, { maxReads: 2 });
    deepEqual(
      { status: backup.status, code: backup.error?.code, maxReads: backup.error?.details?.maxReads },
      { status: 'failed', code: 'CANCELLED', maxReads: 2 },
    );
  });

  test('does not block the next backup of its project', async () => {
    const { project, destination } = await failing((source) =>
      addFault({ project: source, method: 'RunQuery', end: { afterMessages: 0 } }),
    );
    const { id } = await startBackup(organization, { projectId: project.id, storageDestinationId: destination.id });
    equal((await endOf(organization, id)).status, 'completed');
  });
});

test('backup: progress increases while it runs and reaches 100 only on completion', async () => {
  const [project, destination] = await Promise.all([newProject(organization), newDestination(organization)]);
  const text = { text: { stringValue: 'x'.repeat(8_000) } };
  await seed(project.sourceProjectId, Object.fromEntries(Array.from({ length: 400 }, (_, n) => [`a/${n}`, text])));
  await addFault({ project: project.sourceProjectId, method: 'RunQuery', pauseMs: 12 });
  const { id } = await startBackup(organization, { projectId: project.id, storageDestinationId: destination.id });
  const seen: Shown[] = [];
  for (let last: Shown | undefined; last === undefined || ['pending', 'running'].includes(last.status); ) {
    last = (await call(backups.get, { ...by(), params: { backupId: id } })).body.data;
    seen.push(last!);
    await new Promise((done) => setTimeout(done, 100));
  }
  equal(seen.at(-1)?.status, 'completed');
  const percents = seen.map(({ progress }) => progress.percent);
  deepEqual(
    percents,
    percents.toSorted((a, b) => a - b),
  );
  for (const { status, progress } of seen) equal(progress.percent === 100, status === 'completed');
  ok(
    percents.some((percent) => percent > 0 && percent < 100),
    `nothing was seen between 0 and 100: ${percents.join(' ')}`,
  );
});
