/** The last step: checks that every object is stored, writes the manifest, reads it back, and only then completes the backup. */
import { keyFileName } from '../../archive/index.ts';
import type { Configuration } from '../../contract/models/configuration.ts';
import { type ObjectStore, readBack, readDestination, StorageError } from '../../destination/index.ts';
import { deleteWorkItems, JobFailure, phaseEntry, workPartition } from '../../job/index.ts';
import { bestEffort, commit, get, mapConcurrent, omitUndefined, type Tenant } from '../../platform/index.ts';
import { readProject } from '../../project/index.ts';
import {
  archivedConfiguration,
  assertObjectsStored,
  type BackupDeps,
  type BackupRecord,
  backupKey,
  ChainLocks,
  deleteOrphans,
  extendKeyLocks,
  inheritedObjects,
  isSameKey,
  ledgerOf,
  type OriginContents,
  sealConcurrency,
  storeErasureCopy,
  summarizeContents,
  vanishedConfiguration,
  writeManifest,
} from '../../stored-backup/index.ts';
import { giveUpBuild } from '../build/give-up-build.ts';
import { openParent, openParentArchive, type ParentArchive } from '../incremental/parent-archive.ts';
import { readCaptured } from '../model/captured-configuration.ts';
import { readRunningBackup, updateRunningBackup } from '../model/running-backup.ts';
import { storeKey } from '../steps/prepare-backup.ts';
import { type StepRun, withBackupStep } from '../steps/with-backup-step.ts';
import { completeBackup } from './complete-backup.ts';
import { readWorkItems, type WorkItems } from './read-work-items.ts';

/**
 * Idempotent: everything it writes follows from the work items, so a second run writes the same bytes. False if what the backup is
 * built upon could not be read, so that it is to be planned once more.
 */
export const sealBackup = async (tenant: Tenant, backupId: string, deps: BackupDeps): Promise<boolean> => {
  const found = await get(backupKey.backup(tenant, backupId));
  // Completed if the response of an earlier run was lost.
  const isSealed =
    found?.status === 'completed' || (await withBackupStep(tenant, { backupId, deps, work: (run) => sealPlanned(tenant, run) }));
  if (isSealed) await bestEffort('delete the work items of a backup', deleteWorkItems(workPartition(tenant, backupId)));
  return isSealed;
};

const sealPlanned = async (tenant: Tenant, { backup, deps }: StepRun): Promise<boolean> => {
  if (backup.shards === undefined) return false;
  try {
    await seal(tenant, backup.id, deps);
    return true;
  } catch (error) {
    if (await giveUpBuild(tenant, { backup, error, now: deps.clock.now() })) return false;
    throw error;
  }
};

const seal = async (tenant: Tenant, backupId: string, deps: BackupDeps): Promise<void> => {
  const { backup: found, organization } = await readRunningBackup(tenant, backupId, deps.clock.now());
  const ledger = await ledgerOf(tenant, found);
  // Every run writes the same manifest, so the first one decides which version it states.
  const { erasuresVersion = ledger?.version } = found;
  await commit([
    updateRunningBackup(tenant, backupId, {
      set: { phase: 'sealing', erasuresVersion },
      append: { timeline: [phaseEntry('sealing', deps.clock.now())] },
      expected: { erasuresVersion: found.erasuresVersion },
    }),
  ]);
  const backup: BackupRecord = { ...found, ...omitUndefined({ erasuresVersion }) };
  const base = await readOrigin(tenant, backup, deps);
  const [project, destination, items] = await Promise.all([
    readProject(tenant, backup.projectId),
    readDestination(tenant, backup.storageDestination.id),
    readWorkItems(tenant, backup, base),
  ]);
  const store = await deps.openStore(tenant, destination, backup.path);
  const locks = new ChainLocks(backup.lockedUntil);
  let parent: ParentArchive | undefined;
  try {
    await ensureKeyStored(tenant, { store, backup, deps });
    await assertObjectsStored(store, items, locks);
    assertSameCount(backup, items, base);
    parent = await openParent(tenant, backup, deps);
    if (parent) await assertInheritedStored(parent, items, locks);
    const dataKey = await deps.dataKeyOf(tenant, backup);
    const configuration = await configurationOf(tenant, backup, deps);
    const completion = await writeManifest(store, {
      backup,
      project,
      parts: items,
      dataKey,
      parent: parent?.manifest,
      configuration,
    });
    await bestEffort('delete the objects of abandoned runs', deleteOrphans(store, backup, items));
    if (ledger) await storeErasureCopy(store, backup, { ledger, dataKey, now: deps.clock.now() });
    if (backup.lockedUntil !== null) await extendKeyLocks(store, { backup, completion, parent, locks });
    const locked = { ...completion, locks: locks.result };
    await completeBackup(
      { tenant, project, organization },
      {
        backup,
        completion: locked,
        statistics: items.statistics,
        lost: await vanishedConfiguration(tenant, { backup, configuration, deps }),
        clock: deps.clock,
      },
    );
  } finally {
    store.close();
    parent?.close();
  }
};

/** A synthetic full has the configuration of the backup that it is made from. */
const configurationOf = async (tenant: Tenant, backup: BackupRecord, deps: BackupDeps): Promise<Configuration | undefined> => {
  if (backup.synthesizedFrom === undefined) return readCaptured(tenant, backup);
  const origin = await openParentArchive(tenant, { child: backup, parentId: backup.synthesizedFrom, deps });
  origin.close();
  return archivedConfiguration(origin.manifest);
};

/** Throws if a chunk of an earlier backup that this one inherits records from is missing. */
const assertInheritedStored = async (parent: ParentArchive, items: WorkItems, locks: ChainLocks): Promise<void> => {
  await mapConcurrent(inheritedObjects(items, parent.manifest), sealConcurrency, async (entry) => {
    const { store, state } = await parent.read(() => parent.assertStored(entry));
    await locks.extend(store, entry.name, state);
  });
};

/** What is made from stored backups alone has as many documents as these say. */
const assertSameCount = (
  { totalDocuments, synthesizedFrom, buildBase }: BackupRecord,
  items: WorkItems,
  base: Origin | undefined,
): void => {
  if (synthesizedFrom === undefined && !base) return;
  const { documents, collections } = summarizeContents(items);
  const changes = items.parts.reduce((sum, { difference = 0 }) => sum + difference, 0);
  const expected = base ? base.documents + changes : totalDocuments;
  const listed = collections.reduce((sum, [, n]) => sum + n, 0);
  if (documents === expected && listed === documents) return;
  const origin = synthesizedFrom ?? `${buildBase?.backupId} and the changes since`;
  throw new JobFailure('COUNT_MISMATCH', `${documents} of the ${expected} documents of ${origin} were copied`, { listed });
};

interface Origin extends OriginContents {
  readonly documents: number;
}

/** The contents of the base of a backup that is built from changes. */
const readOrigin = async (tenant: Tenant, backup: BackupRecord, deps: BackupDeps): Promise<Origin | undefined> => {
  const { buildBase } = backup;
  if (!buildBase) return undefined;
  const base = await openParentArchive(tenant, { child: backup, parentId: buildBase.backupId, deps });
  const { collections, counts } = base.manifest;
  const { originalSize } = base.backup;
  base.close();
  return { documents: counts.documents, originalSize, collections: collections.map(({ id, documents }) => [id, documents]) };
};

/** Stores the key again if it was lost or changed; without it only the service could read the backup. */
const ensureKeyStored = async (
  tenant: Tenant,
  { store, backup: { id }, deps }: { readonly store: ObjectStore; readonly backup: BackupRecord; readonly deps: BackupDeps },
): Promise<void> => {
  for (let isRestored = false; ; isRestored = true) {
    const stored = await store.get(keyFileName).catch(asMissing);
    const { backup } = await readRunningBackup(tenant, id, deps.clock.now());
    if (backup.keyFile && isSameKey(backup.keyFile, stored)) return;
    if (isRestored && backup.keyFile) return readBack(store, keyFileName, backup.keyFile);
    await storeKey(tenant, backup, deps);
  }
};

const asMissing = (error: unknown): undefined => {
  if (!(error instanceof StorageError) || error.code !== 'missing' || error.bucket) throw error;
};
