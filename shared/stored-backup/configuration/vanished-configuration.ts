/** What of the configuration is gone since the backup before: an index, a TTL policy, rules, or a protection. */
import { setTimeout as pause } from 'node:timers/promises';
import type { Configuration, ConfigurationDifference } from '../../contract/models/configuration.ts';
import { get, log, type Tenant } from '../../platform/index.ts';
import { compareConfigurations } from '../../project/index.ts';
import type { BackupDeps } from '../backup-deps.ts';
import { type BackupAnomaly, type BackupRecord, backupKey } from '../model/record.ts';
import { type OpenArchive, openRawArchive } from '../read/open-archive.ts';
import { archivedConfiguration } from './archived-configuration.ts';

type Findings = BackupAnomaly['findings'];

interface VanishedOptions {
  readonly backup: BackupRecord;
  readonly configuration: Configuration | undefined;
  readonly deps: BackupDeps;
}

/** A backup before that cannot be read is no reason for this one to fail: then nothing is compared. */
export const vanishedConfiguration = async (
  tenant: Tenant,
  { backup, configuration, deps }: VanishedOptions,
): Promise<Findings> => {
  const before = backup.comparedWith && (await get(backupKey.backup(tenant, backup.comparedWith.backupId)));
  if (!configuration || before?.status !== 'completed' || backup.synthesizedFrom !== undefined) return [];
  try {
    const open = await openInTime(openRawArchive(tenant, { backup: before, deps }));
    try {
      const earlier = archivedConfiguration(open.archive.manifest);
      return earlier ? findingsOf(earlier, configuration) : [];
    } finally {
      open.close();
    }
  } catch (error) {
    log.warn('the configuration of the backup before was not compared', { backupId: backup.id, error });
    return [];
  }
};

/** Its bucket may be another one, which answers no more: this backup does not wait for that. */
const openMs = 20_000;

const openInTime = async (opening: Promise<OpenArchive>): Promise<OpenArchive> => {
  const timer = new AbortController();
  const late = pause(openMs, undefined, { signal: timer.signal }).then(() => {
    opening.then((open) => open.close()).catch(() => undefined);
    throw new Error('it was not opened in time');
  });
  try {
    return await Promise.race([opening, late]);
  } finally {
    late.catch(() => undefined);
    timer.abort();
  }
};

export const findingsOf = (before: Configuration, after: Configuration): Findings =>
  compareConfigurations(before, after).differences.flatMap((one) => {
    const message = describeLoss(one);
    if (message === undefined) return [];
    const { collectionGroup: collection, name, kind } = one;
    return [
      {
        collection,
        kind: 'configuration' as const,
        field: kind === 'index' ? null : name,
        observed: { documents: 0, total: 0, share: 1 },
        expected: { min: 0, max: 0 },
        message,
      },
    ];
  });

/** Undefined for what protects nothing less than before. */
const describeLoss = ({ kind, name, change, before }: ConfigurationDifference): string | undefined => {
  if (kind === 'setting' && before === 'true' && protections.has(name)) return `${protections.get(name)} was switched off`;
  if (change !== 'removed') return undefined;
  if (kind === 'index') return `The index ${name} was deleted`;
  if (kind === 'ttl') return `The TTL policy of ${name} was removed`;
  return kind === 'rules' ? `The security rules ${name} were removed` : undefined;
};

const protections: ReadonlyMap<string, string> = new Map([
  ['deleteProtection', 'The delete protection of the database'],
  ['pointInTimeRecovery', 'Google’s point-in-time recovery of the database'],
]);
