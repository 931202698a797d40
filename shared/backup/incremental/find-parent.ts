/** Which backup an incremental one is compared with. */
import { chainHardMax } from '../../contract/limits.ts';
import { query, type Tenant } from '../../platform/index.ts';
import type { ProjectRecord } from '../../project/index.ts';
import { type BackupRecord, backupPrefix } from '../model/record.ts';
import type { StartBackupContext, StartBackupOptions } from '../model/start-options.ts';

export interface ParentCriteria extends Pick<StartBackupOptions, 'collections' | 'excludeCollections'> {
  readonly storageDestinationId: string;
}

/** What is spread over a wish before it is started. */
export type ResolvedType = Pick<StartBackupOptions, 'type' | 'parentBackupId' | 'chainLength' | 'fullBecause'>;

/** The backup of the project that shows the latest moment of those that fit; of two of one moment, that with the shorter chain. */
export const findParent = async (
  tenant: Tenant,
  project: Pick<ProjectRecord, 'id'>,
  wish: ParentCriteria,
): Promise<BackupRecord | undefined> => {
  const found = await findParentOrReason(tenant, project, wish);
  return typeof found === 'string' ? undefined : found;
};

/** For what nobody waits for: where an incremental backup was wanted and no other fits, a full one, and why. */
export const resolveType = async (
  { tenant, project, destination }: Pick<StartBackupContext, 'tenant' | 'project' | 'destination'>,
  { type, collections, excludeCollections }: Pick<StartBackupOptions, 'type' | 'collections' | 'excludeCollections'>,
): Promise<ResolvedType> => {
  if (type === 'full') return { type };
  const wish = { collections, excludeCollections, storageDestinationId: destination.id };
  const found = await findParentOrReason(tenant, project, wish);
  return typeof found === 'string' ? { type: 'full', fullBecause: found } : asIncrementalOf(found);
};

export const asIncrementalOf = (parent: BackupRecord): ResolvedType => ({
  type: 'incremental',
  parentBackupId: parent.id,
  chainLength: chainLengthOf(parent) + 1,
});

/** Of an imported one nobody has counted; each step of its chain that it still needs is one at least. */
export const chainLengthOf = ({ type, chainLength, needs = [] }: BackupRecord): number =>
  chainLength ?? (type === 'full' ? 0 : Math.max(1, needs.length));

/**
 * An incremental one is worth it soon after its parent only, and the table has no range for one project: whoever has to go further
 * back than this has a full one made. A page has 1 MB, which are some 500 backups of the organization.
 */
const lookedAtMax = 500;
const pagesMax = 20;

type Page = Awaited<ReturnType<typeof query<BackupRecord>>>;

/** Completed backups of the project, newest first, as far back as is looked; and whether that is all of them. */
async function* latestOf(tenant: Tenant, projectId: string): AsyncGenerator<BackupRecord, boolean, undefined> {
  const where = { projectId, status: 'completed' };
  const range = { pk: `ORG#${tenant.organizationId}`, prefix: backupPrefix, newestFirst: true, where };
  let [seen, after]: [number, string | undefined] = [0, undefined];
  for (let pages = 0; pages < pagesMax; pages++) {
    const { items, next }: Page = await query<BackupRecord>({ ...range, after });
    for (const backup of items) {
      if (++seen > lookedAtMax) return false;
      yield backup;
    }
    if (next === undefined) return true;
    after = next;
  }
  return false;
}

/** The parent, or in words why there is none: what keeps the latest backup from being one. */
export const findParentOrReason = async (
  tenant: Tenant,
  { id: projectId }: Pick<ProjectRecord, 'id'>,
  wish: ParentCriteria,
): Promise<BackupRecord | string> => {
  const latest = latestOf(tenant, projectId);
  const doubtful = new Set<string>();
  let fitting: readonly BackupRecord[] = [];
  let reason: string | undefined;
  let last: string | undefined;
  for (let next = await latest.next(); ; next = await latest.next()) {
    const [best] = fitting;
    if (next.done) {
      // Whether something that a longer chain is read from was found damaged was not looked at.
      if (!next.value) fitting = fitting.filter((one) => last !== undefined && firstOf(one) >= last);
      break;
    }
    const backup = next.value;
    last = backup.id;
    if (best && isOfSource(best) && backup.id < firstOf(best)) break;
    // Which object of it is damaged the record does not say: whoever finds records in one of them may be as well.
    if (backup.damagedDepth !== undefined) for (const archive of archivesOf(backup)) doubtful.add(archive);
    const misfit = misfitOf(tenant, backup, wish);
    if (misfit === undefined) fitting = [...fitting, backup].toSorted(better);
    const whole = fitting.filter((one) => !isDoubtful(one, doubtful));
    if (whole.length < fitting.length) reason ??= `the latest backup, ${best?.id ?? backup.id}, ${sharesDamage}`;
    reason ??= misfit && `the latest backup, ${backup.id}, ${misfit}`;
    fitting = whole;
  }
  return fitting[0] ?? reason ?? (last === undefined ? 'the project has no completed backup yet' : tooFar);
};

const tooFar = 'the latest backups that fit are read from others too long ago';
const sharesDamage = 'finds records in one that was found damaged, or shares them with it';

/** The archives that a backup is read from. */
const archivesOf = ({ archive, needs = [] }: BackupRecord): readonly string[] => [archive.backup, ...needs];
const isDoubtful = (backup: BackupRecord, doubtful: ReadonlySet<string>): boolean =>
  archivesOf(backup).some((archive) => doubtful.has(archive));

/**
 * The oldest backup that tells of this one: ids are in the order of time, and what was begun before the chain neither shares
 * records with it nor, since a project has one job at a time, shows a later moment.
 */
const firstOf = (backup: BackupRecord): string => [backup.id, ...archivesOf(backup)].toSorted()[0] ?? backup.id;

/** Of the others nothing can be told by their ids. */
const isOfSource = ({ trigger, synthesizedFrom }: BackupRecord): boolean => synthesizedFrom === undefined && trigger !== 'import';

const better = (one: BackupRecord, other: BackupRecord): number =>
  momentOf(other) - momentOf(one) || chainLengthOf(one) - chainLengthOf(other);
const momentOf = ({ readTime }: BackupRecord): number => Date.parse(readTime ?? '');

const misfitOf = (tenant: Tenant, backup: BackupRecord, wish: ParentCriteria): string | undefined => {
  const { archive, projectId, storageDestination } = backup;
  if (backup.isPartial || backup.readTime === null) return 'does not hold all that it was to hold';
  if (backup.damagedDepth !== undefined) return 'was found damaged';
  if (backup.arriving !== undefined || backup.leaving !== undefined) return 'is being moved';
  // What is sealed is bound to both for ever.
  if (archive.organization !== tenant.organizationId || archive.project !== projectId)
    return 'was made in another organization or project';
  if (storageDestination.id !== wish.storageDestinationId) return 'is in another storage destination';
  if (!isSameScope(backup, { collections: wish.collections, excludedCollections: wish.excludeCollections }))
    return 'is of other collections';
  if (chainLengthOf(backup) >= chainHardMax) return `is the end of a chain of ${chainHardMax}`;
  return undefined;
};

type Scope = Pick<BackupRecord, 'collections' | 'excludedCollections'>;

/** Whether two backups were to hold the same, in whatever order it was named. */
export const isSameScope = (one: Scope, other: Scope): boolean =>
  isSameSet(one.collections, other.collections) && isSameSet(one.excludedCollections, other.excludedCollections);

const isSameSet = (one: readonly string[], other: readonly string[]): boolean => {
  const [a, b] = [new Set(one), new Set(other)];
  return a.size === b.size && a.isSubsetOf(b);
};
