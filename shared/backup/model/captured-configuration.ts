/** The configuration of a database while its backup runs: captured by the first step, put into the manifest by the last. */
import { gunzipSync, gzipSync } from 'node:zlib';
import { Configuration, type ConfigurationPart } from '../../contract/models/configuration.ts';
import { after, commit, create, epochSeconds, get, isConflict, type Tenant } from '../../platform/index.ts';
import type { ProjectRecord } from '../../project/index.ts';
import { type BackupDeps, type BackupRecord, backupKey } from '../../stored-backup/index.ts';

/** Deleted when the backup ends; this expires one that could not be. */
const keptSeconds = 30 * 24 * 3_600;
/** An item of the table has at most 400 KB. */
const packedMax = 350_000;

interface CaptureRun {
  readonly backup: BackupRecord;
  readonly project: ProjectRecord;
  readonly deps: BackupDeps;
  readonly signal: AbortSignal;
}

/** Idempotent: the first run's stays, so that every run of the last step writes the same manifest. */
export const captureConfiguration = async (tenant: Tenant, { backup, project, deps, signal }: CaptureRun): Promise<void> => {
  const key = backupKey.configuration(tenant, backup.id);
  // A synthetic full has that of its origin.
  if (!deps.readConfiguration || backup.synthesizedFrom !== undefined || (await get(key))) return;
  const json = packConfiguration(await deps.readConfiguration(tenant, project, signal));
  try {
    await commit([create({ ...key, json, ttl: epochSeconds(after(deps.clock.now(), keptSeconds)) })]);
  } catch (error) {
    if (!isConflict(error)) throw error;
  }
};

/** Undefined if none was captured. */
export const readCaptured = async (tenant: Tenant, { id }: Pick<BackupRecord, 'id'>): Promise<Configuration | undefined> => {
  const item = await get(backupKey.configuration(tenant, id));
  return item && Configuration.parse(JSON.parse(gunzipSync(item.json).toString()));
};

/** What does not fit is left out and says so, the rules first: they are the largest by far. */
export const packConfiguration = (configuration: Configuration, maxBytes = packedMax): Buffer => {
  let rest = configuration;
  for (const part of ['rules', 'fields', 'indexes'] as const) {
    const packed = gzipSync(JSON.stringify(rest));
    if (packed.length <= maxBytes) return packed;
    rest = without(rest, part);
  }
  return gzipSync(JSON.stringify(rest));
};

const without = (configuration: Configuration, part: Exclude<ConfigurationPart, 'settings'>): Configuration => ({
  ...configuration,
  [part]: { state: 'too_large', reason: 'It is larger than a backup keeps', items: [] },
});
