/** Finds the parent of an incremental backup. */
import { chainHardMax } from '../../contract/limits.ts';
import { query, type Tenant } from '../../platform/index.ts';
import { isInMove, type ProjectRecord } from '../../project/index.ts';
import { type BackupRecord, backupPrefix, chainLengthOf } from '../../stored-backup/index.ts';
import type { StartBackupContext, StartBackupOptions } from '../model/start-options.ts';

export interface ParentCriteria extends Pick<StartBackupOptions, 'collections' | 'excludeCollections'> {
  readonly storageDestinationId: string;
}

export type ResolvedType = Pick<StartBackupOptions, 'type' | 'parentBackupId' | 'chainLength' | 'fullBecause'>;

/** The suitable backup of the project with the latest read time; of two with the same one, that with the shorter chain. */
export const findParent = async (
  tenant: Tenant,
  project: Pick<ProjectRecord, 'id'>,
  criteria: ParentCriteria,
): Promise<BackupRecord | undefined> => {
  const found = await findParentOrReason(tenant, project, criteria);
  return typeof found === 'string' ? undefined : found;
};

/** For scheduled backups: falls back to a full backup, with the reason, if an incremental one has no suitable parent. */
export const resolveType = async (
  { tenant, project, destination }: Pick<StartBackupContext, 'tenant' | 'project' | 'destination'>,
  { type, collections, excludeCollections }: Pick<StartBackupOptions, 'type' | 'collections' | 'excludeCollections'>,
): Promise<ResolvedType> => {
  if (type === 'full') return { type };
  const criteria = { collections, excludeCollections, storageDestinationId: destination.id };
  const found = await findParentOrReason(tenant, project, criteria);
  return typeof found === 'string' ? { type: 'full', fullBecause: found } : asIncrementalOf(found);
};

export const asIncrementalOf = (parent: BackupRecord): ResolvedType => ({
  type: 'incremental',
  parentBackupId: parent.id,
  chainLength: chainLengthOf(parent) + 1,
});

/**
 * Backups and pages that are searched; beyond them a full backup is made. An incremental backup pays off only soon after its
 * parent, and the table has no range for one project. A page of 1 MB holds about 500 backups of the organization.
 */
const searchedMax = 500;
const pagesMax = 20;

type Page = Awaited<ReturnType<typeof query<BackupRecord>>>;

/** Completed backups of the project, newest first, up to the limits. Returns whether these are all. */
async function* latestOf(tenant: Tenant, projectId: string): AsyncGenerator<BackupRecord, boolean, undefined> {
  const where = { projectId, status: 'completed' };
  const range = { pk: `ORG#${tenant.organizationId}`, prefix: backupPrefix, newestFirst: true, where };
  let [seen, after]: [number, string | undefined] = [0, undefined];
  for (let pages = 0; pages < pagesMax; pages++) {
    const { items, next }: Page = await query<BackupRecord>({ ...range, after });
    for (const backup of items) {
      if (++seen > searchedMax) return false;
      yield backup;
    }
    if (next === undefined) return true;
    after = next;
  }
  return false;
}

/** The parent, or why there is none: the reason that rules out the latest backup. */
export const findParentOrReason = async (
  tenant: Tenant,
  { id: projectId }: Pick<ProjectRecord, 'id'>,
  criteria: ParentCriteria,
): Promise<BackupRecord | string> => {
  const latest = latestOf(tenant, projectId);
  const suspect = new Set<string>();
  let candidates: readonly BackupRecord[] = [];
  let reason: string | undefined;
  let last: string | undefined;
  for (let next = await latest.next(); ; next = await latest.next()) {
    const [best] = candidates;
    if (next.done) {
      // A chain that reaches further back may depend on a damaged backup that was not read.
      if (!next.value) candidates = candidates.filter((one) => last !== undefined && firstOf(one) >= last);
      break;
    }
    const backup = next.value;
    last = backup.id;
    if (best && isOfSource(best) && backup.id < firstOf(best)) break;
    // The record does not say which object is damaged, so every backup that shares one of its archives is suspect.
    if (backup.damagedDepth !== undefined) for (const archive of archivesOf(backup)) suspect.add(archive);
    const unsuitable = unsuitableBecause(tenant, backup, criteria);
    if (unsuitable === undefined) candidates = [...candidates, backup].toSorted(better);
    const whole = candidates.filter((one) => !isSuspect(one, suspect));
    if (whole.length < candidates.length) reason ??= `the latest backup, ${best?.id ?? backup.id}, ${sharesDamage}`;
    reason ??= unsuitable && `the latest backup, ${backup.id}, ${unsuitable}`;
    candidates = whole;
  }
  return candidates[0] ?? reason ?? (last === undefined ? 'the project has no completed backup yet' : tooFar);
};

const tooFar = 'the latest suitable backups depend on others that are too old';
const sharesDamage = 'depends on a damaged backup, or shares objects with one';

const archivesOf = ({ archive, needs = [] }: BackupRecord): readonly string[] => [archive.backup, ...needs];
const isSuspect = (backup: BackupRecord, suspect: ReadonlySet<string>): boolean =>
  archivesOf(backup).some((archive) => suspect.has(archive));

/**
 * The oldest backup that can affect this one. Ids are in time order, and a backup that started before the chain neither shares
 * objects with it nor has a later read time, because a project runs one job at a time.
 */
const firstOf = (backup: BackupRecord): string => [backup.id, ...archivesOf(backup)].toSorted()[0] ?? backup.id;

/** The ids of imported and synthetic backups say nothing about their read times. */
const isOfSource = ({ trigger, synthesizedFrom }: BackupRecord): boolean => synthesizedFrom === undefined && trigger !== 'import';

const better = (one: BackupRecord, other: BackupRecord): number =>
  momentOf(other) - momentOf(one) || chainLengthOf(one) - chainLengthOf(other);
const momentOf = ({ readTime }: BackupRecord): number => Date.parse(readTime ?? '');

const unsuitableBecause = (tenant: Tenant, backup: BackupRecord, criteria: ParentCriteria): string | undefined => {
  const { archive, projectId, storageDestination } = backup;
  if (backup.isPartial || backup.readTime === null) return 'is partial';
  if (backup.damagedDepth !== undefined) return 'is damaged';
  if (isInMove(backup)) return 'is being moved';
  // The encrypted objects are bound to both forever.
  if (archive.organization !== tenant.organizationId || archive.project !== projectId)
    return 'was made in another organization or project';
  if (storageDestination.id !== criteria.storageDestinationId) return 'is in another storage destination';
  if (!isSameScope(backup, { collections: criteria.collections, excludedCollections: criteria.excludeCollections }))
    return 'has other collections';
  if (chainLengthOf(backup) >= chainHardMax) return `ends a chain of ${chainHardMax}`;
  return undefined;
};

type Scope = Pick<BackupRecord, 'collections' | 'excludedCollections'>;

/** Whether two backups have the same collections, in any order. */
export const isSameScope = (one: Scope, other: Scope): boolean =>
  isSameSet(one.collections, other.collections) && isSameSet(one.excludedCollections, other.excludedCollections);

const isSameSet = (one: readonly string[], other: readonly string[]): boolean => {
  const [a, b] = [new Set(one), new Set(other)];
  return a.size === b.size && a.isSubsetOf(b);
};
