/** What may be asked of a restore: decided at the request, before anything begins. */
import { deepEqual, equal, ok, rejects } from 'node:assert/strict';
import fc from 'fast-check';
import { beforeEach, describe, test } from 'vitest';
import type * as z from 'zod';
import type { BackupRecord } from '../../../../shared/backup/index.ts';
import { restores } from '../../../../shared/contract/endpoints/restores.ts';
import { compareNames } from '../../../../shared/firestore/index.ts';
import { newId } from '../../../../shared/platform/index.ts';
import { requestedDocuments } from '../../../../shared/restore/scope/requested-documents.ts';
import { readRestoreRequest } from '../../../../shared/restore/start/restore-request.ts';
import {
  code,
  destination,
  field,
  projectId,
  putBackup,
  resetTable,
  table,
  targetId,
  tenant,
} from '../../../harness/builders/sample-restore.ts';

type Body = z.input<typeof restores.create.body>;

let backup: BackupRecord;
beforeEach(() => {
  resetTable();
  backup = putBackup();
});
const ask = (more: Body = {}) => readRestoreRequest(tenant, restores.create.body.parse({ backupId: backup.id, ...more }));
const parsed = (more: object) => restores.create.body.safeParse({ backupId: backup.id, ...more });

test('only a backup named: all of it, into its own project, saved first beside it', async () => {
  const { options, target, project, destination: place } = await ask();
  deepEqual([target.id, project?.id, place.id], [projectId, projectId, destination.id]);
  deepEqual(options, {
    mergeMode: 'overwrite',
    dryRun: false,
    collections: ['*'],
    documents: undefined,
    includeSubcollections: true,
    includeAuthUsers: false,
    safetyBackup: true,
    maxWritesPerSecond: undefined,
  });
});

for (const [given, mode] of [
  ['Overwrite', 'overwrite'],
  ['Skip Existing', 'skip_existing'],
  ['skip-existing', 'skip_existing'],
  ['SKIPEXISTING', 'skip_existing'],
  ['Merge', 'merge'],
  ['ROLLBACK', 'rollback'],
] as const)
  test(`${given} is ${mode}`, async () => equal((await ask({ options: { mergeMode: given } })).options.mergeMode, mode));

test('what is mistyped is refused, never left out', () => {
  for (const more of [
    { options: { dryrun: true } },
    { options: { dry_run: true } },
    { dryRun: true },
    { mergeMode: 'merge' },
    { options: { mergeMode: 'replace' } },
    { options: { mergeMode: '' } },
    { options: { dryRun: 'true' } },
    { options: { maxWritesPerSecond: 0 } },
    { options: { maxWritesPerSecond: 10_001 } },
    { options: null },
    { documentIds: [] },
    { documentIds: [''] },
    { documentIds: Array.from({ length: 1_001 }, (_, n) => `a/${n}`) },
    { collections: [] },
  ])
    ok(!parsed(more).success, JSON.stringify(more));
});

describe('a backup, or a point in time', () => {
  const only = (body: Body) => readRestoreRequest(tenant, restores.create.body.parse(body));
  test('neither', () => rejects(only({}), field('backupId')));
  test('a project without a time', () => rejects(only({ projectId }), field('pointInTime')));
  test('a time without a project', () => rejects(only({ pointInTime: '2026-01-01' }), field('projectId')));
  test('both', async () => {
    await rejects(ask({ pointInTime: '2026-01-01T00:00:00Z' }), field('pointInTime'));
    await rejects(ask({ projectId }), field('projectId'));
    await rejects(ask({ projectId, pointInTime: '2026-01-01T00:00:00Z' }), field('pointInTime'));
  });
  test('a time of a project that keeps none, and of one that is not there', async () => {
    await rejects(only({ projectId, pointInTime: '2026-01-01T00:00:00Z' }), (error: Error) => {
      return field('pointInTime')(error) && /not enabled/.test(error.message);
    });
    await rejects(only({ projectId: newId('project'), pointInTime: '2026-01-01' }), code('PROJECT_NOT_FOUND'));
  });
});

describe('the backup', () => {
  test('that is not there, or was deleted', async () => {
    await rejects(ask({ backupId: newId('backup') }), code('BACKUP_NOT_FOUND'));
    await rejects(ask({ backupId: putBackup({ status: 'deleted' }).id }), code('BACKUP_NOT_FOUND'));
  });
  for (const status of ['pending', 'running', 'failed', 'cancelled', 'expired'] as const)
    test(`that is ${status}`, async () => {
      const { id } = putBackup({ status });
      await rejects(ask({ backupId: id }), (error: Error & { details?: { status?: string } }) => {
        return code('CONFLICT')(error) && error.details?.status === status;
      });
    });
  test('is looked for before the target', () =>
    rejects(ask({ backupId: newId('backup'), targetProjectId: newId('project') }), code('BACKUP_NOT_FOUND')));
  test('that leaves with its project', () =>
    rejects(ask({ backupId: putBackup({ leaving: 'move' }).id }), code('JOB_IN_PROGRESS')));
  test('of a safety backup, anything but a rollback', async () => {
    const { id } = putBackup({ trigger: 'safety' });
    await rejects(ask({ backupId: id, options: { mergeMode: 'rollback' } }), field('options.mergeMode'));
    for (const mergeMode of ['overwrite', 'skip_existing', 'merge'] as const)
      equal((await ask({ backupId: id, options: { mergeMode } })).backup.id, id);
  });
  test('that may lack what was there, anything but a rollback, of however little', async () => {
    const { id } = putBackup({ trigger: 'import', isPartial: true });
    for (const more of [{}, { collections: ['a'] }, { documentIds: ['a/1'] }])
      await rejects(ask({ backupId: id, ...more, options: { mergeMode: 'rollback' } }), field('options.mergeMode'));
    for (const mergeMode of ['overwrite', 'skip_existing', 'merge'] as const)
      equal((await ask({ backupId: id, options: { mergeMode } })).backup.id, id);
  });
});

describe('the target', () => {
  test('another project of the organization', async () => {
    const { target, project } = await ask({ targetProjectId: targetId });
    deepEqual([target.id, project?.id], [targetId, projectId]);
  });
  test('that is not there', () => rejects(ask({ targetProjectId: newId('project') }), code('PROJECT_NOT_FOUND')));
  test('a backup outlives its project, and says what can be done', async () => {
    const { id } = putBackup({ projectId: newId('project') });
    await rejects(ask({ backupId: id }), code('PROJECT_NOT_FOUND', /targetProjectId/));
    const { target, project } = await ask({ backupId: id, targetProjectId: targetId });
    deepEqual([target.id, project], [targetId, undefined]);
  });
});

test('the safety backup goes where it is told, and that must be there', async () => {
  await rejects(ask({ options: { safetyStorageDestinationId: newId('storageDestination') } }), code('STORAGE_NOT_FOUND'));
  const { id } = destination;
  equal((await ask({ options: { safetyStorageDestinationId: id } })).destination.id, id);
});

describe('users', () => {
  const withUsers = () => putBackup({ includeAuthUsers: true, authUsers: 3 }).id;
  const usersOf = async (more: Body) => (await ask({ backupId: withUsers(), ...more })).options.includeAuthUsers;
  test('come with all of a backup that has them', async () => {
    equal(await usersOf({}), true);
    equal(await usersOf({ collections: ['*'] }), true);
    equal((await ask()).options.includeAuthUsers, false);
  });
  test('do not come with a part of it, unless they are asked for', async () => {
    equal(await usersOf({ collections: ['users'] }), false);
    equal(await usersOf({ documentIds: ['users/ada'] }), false);
    equal(await usersOf({ collections: ['users'], options: { includeAuthUsers: true } }), true);
    equal(await usersOf({ options: { includeAuthUsers: false } }), false);
  });
  test('cannot be had from a backup without them', () =>
    rejects(ask({ options: { includeAuthUsers: true } }), field('options.includeAuthUsers')));
});

describe('collections', () => {
  const collectionsOf = async (body: Body) => (await ask(body)).options.collections;
  test('may stand in either place, or the same ones in both', async () => {
    deepEqual(await collectionsOf({ collections: ['a', 'b'] }), ['a', 'b']);
    deepEqual(await collectionsOf({ options: { collections: ['a', 'b'] } }), ['a', 'b']);
    deepEqual(await collectionsOf({ collections: ['a', 'b'], options: { collections: ['b', 'a', 'a'] } }), ['a', 'b']);
    deepEqual(await collectionsOf({ collections: ['a', 'a'] }), ['a']);
  });
  test('but not others', async () => {
    await rejects(ask({ collections: ['a'], options: { collections: ['b'] } }), field('collections'));
    await rejects(ask({ collections: ['a'], options: { collections: ['a', 'b'] } }), field('collections'));
    await rejects(ask({ collections: ['a'], options: { collections: ['*'] } }), field('collections'));
  });
  test('that no database can have, named where they were given', async () => {
    const long = 'é'.repeat(751);
    await rejects(ask({ collections: ['a', long] }), field('collections.1'));
    await rejects(ask({ options: { collections: [long] } }), field('options.collections.0'));
    const many = Array.from({ length: 900 }, (_, n) => `${n}`.padEnd(100, 'x'));
    await rejects(ask({ collections: many }), field('collections'));
  });
});

describe('documents', () => {
  const documentsOf = async (documentIds: string[], more: Body = {}) => (await ask({ documentIds, ...more })).options.documents!;
  test('by their paths, each once, in the order of names', async () => {
    const { paths, given } = await documentsOf(['b/1', 'a/__id10__', 'a/x', 'a/__id9__', 'b/1']);
    deepEqual(paths, ['a/__id9__', 'a/__id10__', 'a/x', 'b/1']);
    deepEqual(
      given.map(([text]) => text),
      ['b/1', 'a/__id10__', 'a/x', 'a/__id9__'],
    );
  });
  test('by bare ids within the given collections', async () => {
    const { paths, given } = await documentsOf(['1', 'a/b/c/2'], { collections: ['a/b/c', 'd'] });
    deepEqual(paths, ['a/b/c/1', 'a/b/c/2', 'd/1']);
    deepEqual(given, [
      ['1', ['a/b/c/1', 'd/1']],
      ['a/b/c/2', ['a/b/c/2']],
    ]);
  });
  test('a bare id needs collections', async () => {
    await rejects(documentsOf(['users/ada', 'ada']), field('documentIds.1'));
    await rejects(documentsOf(['ada'], { collections: ['*'] }), field('documentIds.0'));
  });
  test('with rollback a bare id needs exactly one', async () => {
    const options = { mergeMode: 'rollback' } as const;
    await rejects(documentsOf(['ada'], { collections: ['a', 'b'], options }), field('documentIds.0'));
    deepEqual((await documentsOf(['ada'], { collections: ['a'], options })).paths, ['a/ada']);
  });
  test('outside the given collections they are refused; below them they are not', async () => {
    await rejects(documentsOf(['b/1'], { collections: ['a'] }), field('documentIds.0'));
    // The name of one collection may be the beginning of another's.
    await rejects(documentsOf(['ab/1'], { collections: ['a'] }), field('documentIds.0'));
    deepEqual((await documentsOf(['a/1/c/2'], { collections: ['a'] })).paths, ['a/1/c/2']);
  });
  for (const wrong of ['a/b/c', '/a/b', 'a/b/', 'a//b/c', '..', 'a/..', '__x__/a', '\ud800/a', `a/${'é'.repeat(751)}`])
    test(`${JSON.stringify(wrong.slice(0, 20))} names none`, () => rejects(documentsOf([wrong]), field('documentIds.0')));
  test('of more than 100,000 bytes are too many at once, also where bare ids stand for them', async () => {
    const long = Array.from({ length: 999 }, (_, n) => `collection/${`${n}`.padEnd(120, 'x')}`);
    await rejects(documentsOf(long), field('documentIds'));
    const collections = Array.from({ length: 500 }, (_, n) => `collection-${n}`);
    const ids = Array.from({ length: 500 }, (_, n) => `document-${n}`);
    await rejects(documentsOf(ids, { collections }), field('documentIds'));
  });
  test('what is kept of them fits an item', async () => {
    const { paths, given } = await documentsOf(Array.from({ length: 1_000 }, (_, n) => `${'é'.repeat(40)}/${n}`));
    ok(Buffer.byteLength(JSON.stringify(paths)) + Buffer.byteLength(JSON.stringify(given)) < 350_000);
  });

  const name = fc.stringMatching(/^[a-c]{1,2}$/);
  test('whatever is named: sorted, each once, every one of a name that was given', () =>
    fc.assert(
      fc.property(fc.uniqueArray(name, { minLength: 1, maxLength: 3 }), fc.array(name, { minLength: 1 }), (collections, ids) => {
        const { paths, given } = requestedDocuments(ids, { collections, mergeMode: 'merge' });
        deepEqual([...paths].sort(compareNames), paths);
        equal(new Set(paths).size, paths.length);
        deepEqual(new Set(given.flatMap(([, stood]) => stood)), new Set(paths));
        equal(paths.length, new Set(ids).size * collections.length);
      }),
    ));
});

test('nothing was written by any of it', () => equal(table.find(`ORG#${tenant.organizationId}`, 'RESTORE#').length, 0));
