/** What a storage destination holds and what uses it, from the records of backups, projects, schedules and captures. */
import type * as z from 'zod/mini';
import { storagePriceOf, storagePricesAsOf } from '../contract/list-prices.ts';
import type { ProjectStorage, StorageUsage } from '../contract/models/storage-usage.ts';
import { type DestinationRecord, readDestination } from '../destination/index.ts';
import type { OrganizationRecord } from '../organization/index.ts';
import { readStoredCaptures, type StoredCaptures } from '../pitr/index.ts';
import { iso, type Tenant, walk } from '../platform/index.ts';
import { type ProjectRecord, projectPrefix } from '../project/index.ts';
import { type ScheduleRecord, schedulesOf } from '../schedule/index.ts';
import { type BackupRecord, backupPrefix } from '../stored-backup/index.ts';

type Usage = z.input<typeof StorageUsage>;
type Part = z.input<typeof ProjectStorage>;

/** Throws STORAGE_NOT_FOUND. */
export const readStorageUsage = async (
  tenant: Tenant,
  {
    organization,
    destinationId,
    now,
  }: { readonly organization: OrganizationRecord; readonly destinationId: string; readonly now: Date },
): Promise<Usage> => {
  const destination = await readDestination(tenant, destinationId);
  const of = { 'storageDestination.id': destination.id };
  const range = { pk: `ORG#${tenant.organizationId}` };
  const [projects, schedules, captures, backups] = await Promise.all([
    Array.fromAsync(walk<ProjectRecord>({ ...range, prefix: projectPrefix })),
    Array.fromAsync(schedulesOf(tenant)),
    readStoredCaptures(tenant, destination.id),
    Array.fromAsync(walk<StoredBackup>({ ...range, prefix: backupPrefix, where: of, only: storedFields })),
  ]);
  return summarizeUsage({ destination, organization, projects, schedules, captures, backups, now });
};

const storedFields = [
  ...(['sk', 'projectId', 'projectName', 'status', 'size', 'objectCount'] as const),
  ...(['lockedUntil', 'objectsKept', 'arriving'] as const),
];
type StoredBackup = Pick<BackupRecord, (typeof storedFields)[number]>;

interface UsageRecords {
  readonly destination: Pick<DestinationRecord, 'id' | 'type' | 'region' | 'endpoint'>;
  readonly organization: Pick<OrganizationRecord, 'defaultStorageId'>;
  readonly projects: readonly Pick<ProjectRecord, 'id' | 'name' | 'settings'>[];
  readonly schedules: readonly Pick<ScheduleRecord, 'id' | 'name' | 'projectId' | 'enabled' | 'storageDestinationId'>[];
  readonly captures: readonly StoredCaptures[];
  readonly backups: readonly Omit<StoredBackup, 'sk'>[];
  readonly now: Date;
}

export const summarizeUsage = ({ destination, organization, projects, now, ...records }: UsageRecords): Usage => {
  const stored = records.backups.filter(isStored);
  const byProject = Map.groupBy(stored, ({ projectId }) => projectId);
  const isDefault = organization.defaultStorageId === destination.id;
  const defaultOf = new Map(
    projects.map(({ id, settings }) => [id, settings.defaultStorageId ?? organization.defaultStorageId] as const),
  );
  const schedules = records.schedules.filter(
    ({ projectId, storageDestinationId }) => (storageDestinationId ?? defaultOf.get(projectId)) === destination.id,
  );
  const captured = records.captures.filter(
    ({ status, isCurrent, stored }) => (isCurrent && status !== 'disabled') || stored?.objects !== 0,
  );
  const capturedBy = Map.groupBy(captured, ({ projectId }) => projectId);
  const usesOf = (projectId: string): Part['uses'] => [
    ...(defaultOf.get(projectId) === destination.id ? (['default'] as const) : []),
    ...(schedules.some((schedule) => schedule.projectId === projectId) ? (['schedule'] as const) : []),
    ...((capturedBy.get(projectId) ?? []).some(({ isCurrent, stored }) => isCurrent || stored)
      ? (['point-in-time'] as const)
      : []),
    ...(byProject.has(projectId) ? (['backups'] as const) : []),
  ];
  const names = new Map(projects.map(({ id, name }) => [id, name] as const));
  const parts = [...new Set([...names.keys(), ...byProject.keys(), ...capturedBy.keys()])]
    .map((id): Part => {
      const own = byProject.get(id) ?? [];
      // A project that was disconnected has the name that its last backup had.
      const name = names.get(id) ?? own.at(-1)?.projectName ?? null;
      return { id, name, uses: usesOf(id), ...totalsOf(own, { captures: capturedBy.get(id) ?? [], now }) };
    })
    .filter(({ uses }) => uses.length > 0)
    .toSorted((one, other) => other.storedBytes - one.storedBytes);
  const totals = totalsOf(stored, { captures: captured, now });
  const locks = stored.flatMap(({ lockedUntil }) => lockedUntil ?? []).filter((until) => until > iso(now));
  return {
    storageDestinationId: destination.id,
    source: 'records',
    computedAt: iso(now),
    isDefault,
    ...totals,
    lockedUntil: locks.toSorted().at(-1) ?? null,
    monthlyCost: monthlyCostOf(destination, totals.storedBytes),
    projects: parts,
    schedules: schedules.map(({ id, name, projectId, enabled }) => ({ id, name, projectId, enabled })),
  };
};

/** Its objects are in the bucket: also those of a deleted backup that could not be deleted. */
const isStored = ({ status, objectsKept, arriving }: Omit<StoredBackup, 'sk'>): boolean =>
  arriving === undefined && (status === 'completed' || objectsKept !== undefined);

const totalsOf = (
  backups: UsageRecords['backups'],
  { captures, now }: { readonly captures: readonly StoredCaptures[]; readonly now: Date },
) => {
  const captured = capturedIn(captures);
  const isCounted = captured !== null && backups.every(({ objectCount }) => objectCount !== undefined);
  const objects = backups.reduce((total, { objectCount = 0 }) => total + objectCount, captured?.objects ?? 0);
  return {
    backups: backups.length,
    lockedBackups: backups.filter(({ lockedUntil }) => lockedUntil !== null && lockedUntil > iso(now)).length,
    storedBytes: backups.reduce((total, { size }) => total + size, captured?.bytes ?? 0),
    objects: isCounted ? objects : null,
    captured,
  };
};

/** Null if those of one project are too many to count. */
const capturedIn = (captures: readonly StoredCaptures[]): Part['captured'] =>
  captures.reduce<Part['captured']>(
    (sum, { stored }) => (sum && stored ? { objects: sum.objects + stored.objects, bytes: sum.bytes + stored.bytes } : null),
    { objects: 0, bytes: 0 },
  );

/** As providers bill: a gigabyte has 10^9 bytes, which is a little more than by those that count 2^30. */
const bytesPerGigabyte = 1e9;

const monthlyCostOf = (destination: UsageRecords['destination'], storedBytes: number): Usage['monthlyCost'] => {
  const price = storagePriceOf(destination);
  if (!price) return null;
  const { provider, source, usdPerGigabyteMonth } = price;
  const usd = (storedBytes / bytesPerGigabyte) * usdPerGigabyteMonth;
  return {
    estimatedUsd: Math.round(usd * 1e6) / 1e6,
    usdPerGigabyte: usdPerGigabyteMonth,
    price: provider,
    source,
    asOf: storagePricesAsOf,
  };
};
