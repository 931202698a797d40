import type { Manifest } from '../../archive/index.ts';
import { readDestination } from '../../destination/index.ts';
import { bestEffort, commit, type Tenant, takeWithinBytes } from '../../platform/index.ts';
import {
  type BackupRecord,
  type FoundDamage,
  type Inspection,
  inspectObjects,
  markDamaged,
  openWithManifest,
  ownerOf,
} from '../../stored-backup/index.ts';
import type { RestoreRecord } from '../model/record.ts';
import { updateRunning } from '../model/running-restore.ts';
import type { RestoreDeps } from '../restore-deps.ts';

interface OpenedBackup {
  readonly backup: BackupRecord;
  readonly dataKey: Buffer;
  readonly manifest: Manifest;
}

/**
 * Records what would fail a verification of the backup, although the restore may not notice it: objects of another size, and a
 * key object that is missing or damaged. A backup that is damaged is marked, and so is one from which it inherits the damage, unless the
 * job only plans.
 */
export const inspectBackup = async (
  tenant: Tenant,
  {
    restore,
    opened: { backup, dataKey, manifest },
    deps,
  }: { readonly restore: RestoreRecord; readonly opened: OpenedBackup; readonly deps: RestoreDeps },
): Promise<void> => {
  const destination = await readDestination(tenant, backup.storageDestination.id);
  const store = await deps.openStore(tenant, destination, backup.path);
  const open = openWithManifest(tenant, backup, { store, dataKey, manifest, erasures: undefined, deps });
  let inspection: Inspection;
  try {
    inspection = await inspectObjects(tenant, { backup, open, deps });
  } finally {
    open.close();
  }
  const { findings, count, damage } = inspection;
  if (count === 0) return;
  const { id, attempt, dryRun } = restore;
  const shown = takeWithinBytes(findings, { sizeOf: (one) => Buffer.byteLength(JSON.stringify(one)), maxBytes: findingBytesMax });
  const set = { findings: shown, findingsCount: count };
  await commit([updateRunning(tenant, id, { set, expected: { attempt, shards: undefined } })]);
  if (dryRun) return;
  for (const [archiveId, found] of damage) {
    const owner = archiveId === backup.archive.backup ? backup : await ownerOf(tenant, archiveId, backup);
    if (owner)
      await bestEffort('mark a backup as damaged', markFound(tenant, owner, { ...found, by: id, now: deps.clock.now() }));
  }
};

const markFound = async (
  tenant: Tenant,
  backup: BackupRecord,
  { first, count, by, now }: FoundDamage & { readonly by: string; readonly now: Date },
): Promise<void> => {
  if (backup.damagedDepth !== undefined) return;
  const { object, message } = first;
  await markDamaged(tenant, backup, { depth: 'structure', details: { object, message, findings: count, by }, now });
};

/** They are part of every event of the restore. */
const findingBytesMax = 20_000;
