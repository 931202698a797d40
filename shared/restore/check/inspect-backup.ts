import type { Manifest } from '../../archive/index.ts';
import {
  type BackupRecord,
  type Inspection,
  inspectObjects,
  isShallower,
  markDamaged,
  openWithManifest,
} from '../../backup/index.ts';
import { readDestination } from '../../destination/index.ts';
import { bestEffort, commit, type Tenant, takeWithinBytes } from '../../platform/index.ts';
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
 * key object that is missing or damaged. A backup that is damaged is marked, unless the job only plans.
 */
export const inspectBackup = async (
  tenant: Tenant,
  restore: RestoreRecord,
  { backup, dataKey, manifest }: OpenedBackup,
  deps: RestoreDeps,
): Promise<void> => {
  const destination = await readDestination(tenant, backup.storageDestination.id);
  const store = await deps.openStore(tenant, destination, backup.path);
  const open = openWithManifest(tenant, backup, { store, dataKey, manifest, erasures: undefined, deps });
  let inspection: Inspection;
  try {
    inspection = await inspectObjects(tenant, backup, open, deps);
  } finally {
    open.close();
  }
  const { findings, count, damage } = inspection;
  if (count === 0) return;
  const { id, attempt, dryRun } = restore;
  const shown = takeWithinBytes(findings, { sizeOf: (one) => Buffer.byteLength(JSON.stringify(one)), maxBytes: findingBytesMax });
  const set = { findings: shown, findingsCount: count };
  await commit([updateRunning(tenant, id, { set, expected: { attempt, shards: undefined } })]);
  const { damagedDepth } = backup;
  if (dryRun || damage === undefined || (damagedDepth !== undefined && !isShallower(damagedDepth, damage))) return;
  const [first] = findings;
  const details = { object: first?.object ?? null, message: first?.message ?? null, findings: count, by: id };
  await bestEffort('mark a backup as damaged', markDamaged(tenant, backup, { depth: damage, details, now: deps.clock.now() }));
};

/** They are part of every event of the restore. */
const findingBytesMax = 20_000;
