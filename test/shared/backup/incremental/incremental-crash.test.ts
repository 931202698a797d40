/** A worker of an incremental backup may crash before or after any effect, and its parent may be deleted concurrently. */
import { deepEqual, equal, ok, rejects } from 'node:assert/strict';
import { beforeAll, describe, test } from 'vitest';
import { findParent } from '../../../../shared/backup/incremental/find-parent.ts';
import { asIncrementalOf, startBackup } from '../../../../shared/backup/index.ts';
import {
  type DestinationRecord,
  type MemoryStore,
  type ObjectStore,
  StorageError,
  type Upload,
} from '../../../../shared/destination/index.ts';
import { organizationKey } from '../../../../shared/organization/index.ts';
import { commit, StaleReadError } from '../../../../shared/platform/index.ts';
import { type ProjectRecord, projectKey } from '../../../../shared/project/index.ts';
import { type BackupRecord, deleteBackup, findDependentBackup } from '../../../../shared/stored-backup/index.ts';
import { createArchiveEnv, type Fields } from '../../../harness/env/archive-env.ts';
import { firstBackupStep } from '../../../harness/env/backup-env.ts';
import { makeLink, nextLink, parentRequest, readLink } from '../../../harness/env/chain-links.ts';
import { CrashInjector } from '../../../harness/faults/crash-injector.ts';

const t = await createArchiveEnv();

const text = (stringValue: string): Fields => ({ text: { stringValue } });

let full: BackupRecord;
/** The table and the objects before the incremental backup starts. */
let items: Map<string, object>;
let objects: Map<string, Map<string, Uint8Array>>;

beforeAll(async () => {
  t.reset();
  await t.put({ 'a/1': text('1'), 'a/2': text('2'), 'b/gone/c/1': text('3'), 'z/1': text('4'), 'z/2': text('5') });
  full = await makeLink(t);
  await t.put({ 'a/2': text('changed'), 'a/3': text('new'), 'b/gone/c/1': undefined, 'z/2': undefined });
  items = new Map(t.table.items);
  objects = new Map([...t.stores].map(([folder, store]) => [folder, new Map(store.objects)]));
});

const again = (): void => {
  t.table.items.clear();
  for (const [key, item] of items) t.table.items.set(key, item as never);
  for (const [folder, store] of t.stores) {
    store.objects.clear();
    for (const [name, bytes] of objects.get(folder) ?? []) store.objects.set(name, bytes);
  }
};

const mortalStore = (machine: CrashInjector, inner: MemoryStore): ObjectStore => {
  const upload = (one: Upload): Upload => ({
    write: (pieces) => machine.effect(() => one.write(pieces)),
    finish: () => machine.effect(() => one.finish()),
    abort: () => machine.alive(() => one.abort()),
  });
  return {
    put: (...all) => machine.effect(() => inner.put(...all)),
    upload: (...all) => upload(inner.upload(...all)),
    get: (...all) => machine.alive(() => inner.get(...all)),
    head: (name) => machine.alive(() => inner.head(name)),
    extendLock: (name, state, extension) => machine.alive(() => inner.extendLock(name, state, extension)),
    list: (prefix) => inner.list(prefix),
    remove: (names) => machine.effect(() => inner.remove(names)),
    abortUnfinishedUploads: (prefix) => machine.effect(() => inner.abortUnfinishedUploads(prefix)),
    close: () => inner.close(),
  };
};

const attach = (machine: CrashInjector): void => {
  t.table.onWrite = (when) => machine.atWrite(when);
  t.table.onRead = () => machine.atRead();
  t.wrapStore = (store) => mortalStore(machine, store);
};

const isWholeAndAlone = async (id: string, where: string): Promise<void> => {
  const record = t.backupOf(id);
  deepEqual([record.status, record.type, record.needs], ['completed', 'incremental', [full.id]], where);
  const held = await readLink(t, record);
  deepEqual([held.documents, held.deleted], [t.contents(), ['b/gone/c/1', 'z/2']], where);
  deepEqual([record.documentCount, record.documents], [4, 4], where);
  const own = ['chunk/', 'index/', 'key', 'manifest'];
  const stored = [...t.stores.get(record.path)!.objects.keys()].sort();
  deepEqual(
    stored.map((name, n) => name.startsWith(own[n]!)),
    own.map(() => true),
    `${where}: ${stored}`,
  );
  deepEqual([t.events('backup.completed').length, t.events('backup.failed').length], [2, 0], where);
  deepEqual([t.table.find('WORK#'), t.table.find('RUNNING#'), t.table.find('ORG#', 'JOB#')], [[], [], []], where);
  equal(t.backupOf(full.id).builtUpon, 1, where);
};

describe('incremental: a crash', () => {
  for (const when of ['before', 'after'] as const)
    test(`${when} each effect of a worker: the next run completes one link and leaves nothing else`, async () => {
      let effects = Number.POSITIVE_INFINITY;
      for (let at = 0; at <= effects; at++) {
        again();
        const id = await t.startBackup(await nextLink(t));
        const position = firstBackupStep();
        // The first run does not crash and counts the effects.
        const machine = at === 0 ? new CrashInjector() : new CrashInjector(at, when);
        attach(machine);
        await t.resumeBackup(id, position).catch(() => undefined);
        if (at === 0) effects = machine.effects;
        else ok(machine.isDead, `nothing died at ${at}`);
        attach(new CrashInjector());
        await (at % 2 === 0 ? t.resumeBackup(id, position) : t.runBackup(id));
        await isWholeAndAlone(id, `${when} ${at} of ${effects}`);
      }
      ok(effects > 10);
    });
});

describe('incremental: a parent that is deleted concurrently', () => {
  const starting = async () => {
    const parent = await findParent(t.tenant, { id: t.projectId }, parentRequest(t));
    if (!parent) return undefined;
    const context = {
      tenant: t.tenant,
      project: t.table.get<ProjectRecord>(projectKey.project(t.tenant, t.projectId))!,
      destination: t.table.get<DestinationRecord>(organizationKey.storageDestination(t.tenant, t.destinationId))!,
      encryption: { mode: 'kms', keyId: 'key' } as const,
    };
    const { collections, excludeCollections } = parentRequest(t);
    const scope = { collections, excludeCollections, includeAuthUsers: false };
    const by = { trigger: 'manual', createdBy: { type: 'user', id: 'usr_x' } } as const;
    return startBackup(context, { ...scope, ...by, ...asIncrementalOf(parent) }, new Date());
  };
  const removing = async () =>
    deleteBackup(t.tenant, {
      backup: t.backupOf(full.id),
      child: await findDependentBackup(t.tenant, t.backupOf(full.id)),
      now: new Date(),
    });

  test('is deleted, and the new backup is decided again without it', async () => {
    again();
    const begun = (await starting())!;
    await commit((await removing()).writes);
    await rejects(commit(begun.writes), StaleReadError);
    equal(await starting(), undefined);
  });

  test('stays if the child started first, and the delete names the child', async () => {
    again();
    const { writes } = await removing();
    const begun = (await starting())!;
    await commit(begun.writes);
    await rejects(commit(writes), StaleReadError);
    const { id } = begun.backup;
    await rejects(removing, { code: 'CONFLICT', details: { neededBy: id } });
    await t.runBackup(id);
    await rejects(removing, { code: 'CONFLICT', details: { neededBy: id } });
    await isWholeAndAlone(id, 'it was never gone');
  });

  test('can be deleted once its child has failed', async () => {
    again();
    const id = await t.startBackup(await nextLink(t));
    t.wrapStore = (store, folder) => {
      if (folder === t.backupOf(id).path) throw new StorageError('denied', 'The bucket refused: AccessDenied');
      return store;
    };
    await t.runBackup(id, { triesMax: 1 });
    t.wrapStore = (store) => store;
    equal(t.backupOf(id).status, 'failed');
    await commit((await removing()).writes);
    equal(t.backupOf(full.id).status, 'deleted');
  });
});
