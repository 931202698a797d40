/** Validation of a restore request, before anything is started. */
import { deepEqual, equal, ok, rejects } from 'node:assert/strict';
import fc from 'fast-check';
import { beforeEach, describe, test } from 'vitest';
import type * as z from 'zod/mini';
import { restores } from '../../../../shared/contract/endpoints/restores.ts';
import { compareTextNames } from '../../../../shared/firestore/index.ts';
import { newId } from '../../../../shared/platform/index.ts';
import { requestedDocuments } from '../../../../shared/restore/scope/requested-documents.ts';
import { readRestoreRequest } from '../../../../shared/restore/start/restore-request.ts';
import type { BackupRecord } from '../../../../shared/stored-backup/index.ts';
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

test('request: only a backup id means all of it, into its own project, with a safety backup in the same destination', async () => {
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
  test(`request: merge mode ${given} means ${mode}`, async () =>
    equal((await ask({ options: { mergeMode: given } })).options.mergeMode, mode));

test('request: unknown fields are refused, never ignored', () => {
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

describe('request: exactly one of a backup and a point in time', () => {
  const only = (body: Body) => readRestoreRequest(tenant, restores.create.body.parse(body));
  test('neither', () => rejects(only({}), field('backupId')));
  test('a project without a time', () => rejects(only({ projectId }), field('pointInTime')));
  test('a time without a project', () => rejects(only({ pointInTime: '2026-01-01' }), field('projectId')));
  test('both', async () => {
    await rejects(ask({ pointInTime: '2026-01-01T00:00:00Z' }), field('pointInTime'));
    await rejects(ask({ projectId }), field('projectId'));
    await rejects(ask({ projectId, pointInTime: '2026-01-01T00:00:00Z' }), field('pointInTime'));
  });
  test('a partial restore, allowed and not allowed at once', async () => {
    const both = { projectId, pointInTime: '2026-01-01T00:00:00Z', allowPartial: true, options: { allowPartial: false } };
    await rejects(only(both), (error: Error) => field('allowPartial')(error) && /must equal/.test(error.message));
  });
  test('a time of a project without captures, and of an unknown project', async () => {
    await rejects(only({ projectId, pointInTime: '2026-01-01T00:00:00Z' }), (error: Error) => {
      return field('pointInTime')(error) && /not enabled/.test(error.message);
    });
    await rejects(only({ projectId: newId('project'), pointInTime: '2026-01-01' }), code('PROJECT_NOT_FOUND'));
  });
});

describe('request: the backup', () => {
  test('that does not exist or was deleted', async () => {
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
  test('is checked before the target', () =>
    rejects(ask({ backupId: newId('backup'), targetProjectId: newId('project') }), code('BACKUP_NOT_FOUND')));
  test('that is being moved with its project', () =>
    rejects(ask({ backupId: putBackup({ leaving: 'move' }).id }), code('JOB_IN_PROGRESS')));
  test('if it is a safety backup, allows any mode but rollback', async () => {
    const { id } = putBackup({ trigger: 'safety' });
    await rejects(ask({ backupId: id, options: { mergeMode: 'rollback' } }), field('options.mergeMode'));
    for (const mergeMode of ['overwrite', 'skip_existing', 'merge'] as const)
      equal((await ask({ backupId: id, options: { mergeMode } })).backup.id, id);
  });
  test('if it is partial, allows any mode but rollback, for any scope', async () => {
    const { id } = putBackup({ trigger: 'import', isPartial: true });
    for (const more of [{}, { collections: ['a'] }, { documentIds: ['a/1'] }])
      await rejects(ask({ backupId: id, ...more, options: { mergeMode: 'rollback' } }), field('options.mergeMode'));
    for (const mergeMode of ['overwrite', 'skip_existing', 'merge'] as const)
      equal((await ask({ backupId: id, options: { mergeMode } })).backup.id, id);
  });
});

describe('request: the target', () => {
  test('may be another project of the organization', async () => {
    const { target, project } = await ask({ targetProjectId: targetId });
    deepEqual([target.id, project?.id], [targetId, projectId]);
  });
  test('that does not exist', () => rejects(ask({ targetProjectId: newId('project') }), code('PROJECT_NOT_FOUND')));
  test('must be named if the project of the backup is disconnected', async () => {
    const { id } = putBackup({ projectId: newId('project') });
    await rejects(ask({ backupId: id }), code('PROJECT_NOT_FOUND', /targetProjectId/));
    const { target, project } = await ask({ backupId: id, targetProjectId: targetId });
    deepEqual([target.id, project], [targetId, undefined]);
  });
});

test('request: the safety backup goes to the given destination, which must exist', async () => {
  await rejects(ask({ options: { safetyStorageDestinationId: newId('storageDestination') } }), code('STORAGE_NOT_FOUND'));
  const { id } = destination;
  equal((await ask({ options: { safetyStorageDestinationId: id } })).destination.id, id);
});

describe('request: users', () => {
  const withUsers = () => putBackup({ includeAuthUsers: true, authUsers: 3 }).id;
  const usersOf = async (more: Body) => (await ask({ backupId: withUsers(), ...more })).options.includeAuthUsers;
  test('are included with the whole of a backup that has them', async () => {
    equal(await usersOf({}), true);
    equal(await usersOf({ collections: ['*'] }), true);
    equal((await ask()).options.includeAuthUsers, false);
  });
  test('are included with a part of it only on request', async () => {
    equal(await usersOf({ collections: ['users'] }), false);
    equal(await usersOf({ documentIds: ['users/ada'] }), false);
    equal(await usersOf({ collections: ['users'], options: { includeAuthUsers: true } }), true);
    equal(await usersOf({ options: { includeAuthUsers: false } }), false);
  });
  test('cannot be requested from a backup without users', () =>
    rejects(ask({ options: { includeAuthUsers: true } }), field('options.includeAuthUsers')));
});

describe('request: collections', () => {
  const collectionsOf = async (body: Body) => (await ask(body)).options.collections;
  test('may be in either field, or equal in both', async () => {
    deepEqual(await collectionsOf({ collections: ['a', 'b'] }), ['a', 'b']);
    deepEqual(await collectionsOf({ options: { collections: ['a', 'b'] } }), ['a', 'b']);
    deepEqual(await collectionsOf({ collections: ['a', 'b'], options: { collections: ['b', 'a', 'a'] } }), ['a', 'b']);
    deepEqual(await collectionsOf({ collections: ['a', 'a'] }), ['a']);
  });
  test('must not differ between the fields', async () => {
    await rejects(ask({ collections: ['a'], options: { collections: ['b'] } }), field('collections'));
    await rejects(ask({ collections: ['a'], options: { collections: ['a', 'b'] } }), field('collections'));
    await rejects(ask({ collections: ['a'], options: { collections: ['*'] } }), field('collections'));
  });
  test('that are invalid are reported with their field', async () => {
    const long = 'é'.repeat(751);
    await rejects(ask({ collections: ['a', long] }), field('collections.1'));
    await rejects(ask({ options: { collections: [long] } }), field('options.collections.0'));
    const many = Array.from({ length: 900 }, (_, n) => `${n}`.padEnd(100, 'x'));
    await rejects(ask({ collections: many }), field('collections'));
  });
});

describe('request: documents', () => {
  const documentsOf = async (documentIds: string[], more: Body = {}) => (await ask({ documentIds, ...more })).options.documents!;
  test('by path are unique, in the order of names', async () => {
    const { paths, given } = await documentsOf(['b/1', 'a/__id10__', 'a/x', 'a/__id9__', 'b/1']);
    deepEqual(paths, ['a/__id9__', 'a/__id10__', 'a/x', 'b/1']);
    deepEqual(
      given.map(([text]) => text),
      ['b/1', 'a/__id10__', 'a/x', 'a/__id9__'],
    );
  });
  test('by bare id are expanded within the requested collections', async () => {
    const { paths, given } = await documentsOf(['1', 'a/b/c/2'], { collections: ['a/b/c', 'd'] });
    deepEqual(paths, ['a/b/c/1', 'a/b/c/2', 'd/1']);
    deepEqual(given, [
      ['1', ['a/b/c/1', 'd/1']],
      ['a/b/c/2', ['a/b/c/2']],
    ]);
  });
  test('by bare id need collections', async () => {
    await rejects(documentsOf(['users/ada', 'ada']), field('documentIds.1'));
    await rejects(documentsOf(['ada'], { collections: ['*'] }), field('documentIds.0'));
  });
  test('by bare id need exactly one collection with rollback', async () => {
    const options = { mergeMode: 'rollback' } as const;
    await rejects(documentsOf(['ada'], { collections: ['a', 'b'], options }), field('documentIds.0'));
    deepEqual((await documentsOf(['ada'], { collections: ['a'], options })).paths, ['a/ada']);
  });
  test('outside the requested collections are refused; below them they are not', async () => {
    await rejects(documentsOf(['b/1'], { collections: ['a'] }), field('documentIds.0'));
    // The name of one collection may be the beginning of another's.
    await rejects(documentsOf(['ab/1'], { collections: ['a'] }), field('documentIds.0'));
    deepEqual((await documentsOf(['a/1/c/2'], { collections: ['a'] })).paths, ['a/1/c/2']);
  });
  for (const wrong of ['a/b/c', '/a/b', 'a/b/', 'a//b/c', '..', 'a/..', '__x__/a', '\ud800/a', `a/${'é'.repeat(751)}`])
    test(`named ${JSON.stringify(wrong.slice(0, 20))} are refused`, () => rejects(documentsOf([wrong]), field('documentIds.0')));
  test('of more than 100,000 bytes are refused, expanded bare ids included', async () => {
    const long = Array.from({ length: 999 }, (_, n) => `collection/${`${n}`.padEnd(120, 'x')}`);
    await rejects(documentsOf(long), field('documentIds'));
    const collections = Array.from({ length: 500 }, (_, n) => `collection-${n}`);
    const ids = Array.from({ length: 500 }, (_, n) => `document-${n}`);
    await rejects(documentsOf(ids, { collections }), field('documentIds'));
  });
  test('fit into an item', async () => {
    const { paths, given } = await documentsOf(Array.from({ length: 1_000 }, (_, n) => `${'é'.repeat(40)}/${n}`));
    ok(Buffer.byteLength(JSON.stringify(paths)) + Buffer.byteLength(JSON.stringify(given)) < 350_000);
  });

  const name = fc.stringMatching(/^[a-c]{1,2}$/);
  test('for any names are sorted, unique, and derived from a given name', () =>
    fc.assert(
      fc.property(fc.uniqueArray(name, { minLength: 1, maxLength: 3 }), fc.array(name, { minLength: 1 }), (collections, ids) => {
        const { paths, given } = requestedDocuments(ids, { collections, mergeMode: 'merge' });
        deepEqual([...paths].sort(compareTextNames), paths);
        equal(new Set(paths).size, paths.length);
        deepEqual(new Set(given.flatMap(([, stood]) => stood)), new Set(paths));
        equal(paths.length, new Set(ids).size * collections.length);
      }),
    ));
});

describe('request: to build a moment only', () => {
  const moment = { backupId: undefined, projectId, pointInTime: '2025-01-31T08:00:00Z' };
  for (const [more, wrong] of [
    [{ targetProjectId: targetId }, 'targetProjectId'],
    [{ documentIds: ['a/1'] }, 'documentIds'],
    [{ allowPartial: false }, 'allowPartial'],
    [{ options: { dryRun: true } }, 'options.dryRun'],
    [{ options: { mergeMode: 'rollback' } }, 'options.mergeMode'],
    [{ options: { includeAuthUsers: true } }, 'options.includeAuthUsers'],
    [{ options: { maxWritesPerSecond: 5 } }, 'options.maxWritesPerSecond'],
    [{ options: { deleteDigest: '0'.repeat(64) } }, 'options.deleteDigest'],
  ] as const satisfies readonly (readonly [Body, string])[])
    test(`${wrong} is refused`, () =>
      rejects(
        ask({ ...moment, ...more, options: { buildOnly: true, ...('options' in more ? more.options : {}) } }),
        field(wrong),
      ));
  test('a backup is refused: there is nothing to build', () =>
    rejects(ask({ options: { buildOnly: true } }), field('options.buildOnly')));
  test('false is as good as not given', async () =>
    equal((await ask({ options: { buildOnly: false } })).options.buildsOnly, undefined));
});

test('request: validation writes nothing', () => equal(table.find(`ORG#${tenant.organizationId}`, 'RESTORE#').length, 0));
