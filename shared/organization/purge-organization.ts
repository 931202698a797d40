/** Removing an organization for good, a bounded part at a time. Every part may run again; the organization's own item goes last. */
import { auditPartition } from '../audit/index.ts';
import { ApiError } from '../contract/errors.ts';
import {
  after,
  type Clock,
  commit,
  get,
  type Item,
  iso,
  type Key,
  query,
  type Range,
  remove,
  removeAll,
  type Write,
  walk,
} from '../platform/index.ts';
import { dueKey } from './delete-organization.ts';
import { type DueRecord, duePartition, lookup, type OrganizationRecord } from './model/record.ts';

/** A recovery that began in time may still be under way on a machine whose clock is behind. */
const marginSeconds = 300;

/** Items removed between two looks at the clock. */
const pageItems = 200;

/** The organizations whose time has come. */
export const duePurges = (now: Date): AsyncGenerator<DueRecord> =>
  walk<DueRecord>({ ...everything(duePartition), to: iso(after(now, -marginSeconds)) });

/**
 * Removes what it can until the time given and tells whether nothing is left. An organization that is not due, because it
 * was recovered or never deleted, is left alone: the answer is the same, there is nothing to remove. `first` removes what
 * other rooms keep elsewhere, as long as the items that lead there exist; it says whether it is done.
 */
export const purgeOrganization = async (
  organizationId: string,
  until: Date,
  time: Clock,
  first: (organization: OrganizationRecord) => Promise<boolean> = async () => true,
): Promise<boolean> => {
  const organization = await get(lookup.organization(organizationId));
  if (!organization || !isDue(organization, time.now())) return true;
  if (!(await first(organization))) return false;
  // A call that began before the deletion may still have added something behind our back; it cannot once a pass is over,
  // because what it needs is gone. So a pass that finds nothing is the last.
  for (let removed: number | undefined; removed !== 0; ) {
    removed = await pass(organization, until, time);
    if (removed === undefined) return false;
  }
  try {
    await commit(lastWrites(organization));
    return true;
  } catch (error) {
    // Another purge of the same organization is at the same point; the next look tells.
    if (error instanceof ApiError && error.code === 'CONFLICT') return false;
    throw error;
  }
};

const isDue = ({ deletedAt, recoveryDeadline }: OrganizationRecord, now: Date): boolean =>
  deletedAt !== undefined && (recoveryDeadline === undefined || recoveryDeadline <= iso(after(now, -marginSeconds)));

/** Every sort key of ours begins with a letter or a digit. */
const everything = (pk: string): Range => ({ pk, prefix: '', from: '0' });

/** How many items it removed, or undefined if its time was over before it had looked everywhere. */
const pass = async (organization: OrganizationRecord, until: Date, time: Clock): Promise<number | undefined> => {
  let removed = 0;
  for (const pk of [organization.pk, auditPartition(organization.id), `SEEN#${organization.id}`]) {
    let position: string | undefined;
    do {
      if (time.now() >= until) return undefined;
      const page = await query({ ...everything(pk), after: position, limit: pageItems });
      const items = page.items.filter(({ sk }) => sk !== organization.sk);
      // What only these items lead to goes first, so that nothing is left behind that nothing points at.
      await removeAll(items.flatMap((item) => referencedKeys(organization.id, item)));
      await removeAll(items);
      removed += items.length;
      position = page.next;
    } while (position !== undefined);
  }
  return removed;
};

/** Items outside the organization's partitions: its members' links and its service account's key. */
const referencedKeys = (organizationId: string, { sk, userId, id }: Item): readonly Key[] => {
  if (sk.startsWith('MEMBER#')) return [lookup.membership(userId as string, organizationId)];
  if (sk === 'SERVICE_ACCOUNT') return [lookup.apiKey(id as string)];
  return [];
};

/** The slug goes together with the organization: freed earlier, another organization could have it and lose it to us. */
const lastWrites = (organization: OrganizationRecord): readonly Write[] => [
  { remove: lookup.slug(organization.slug) },
  { remove: dueKey(organization) },
  remove({ pk: organization.pk, sk: organization.sk }),
];
