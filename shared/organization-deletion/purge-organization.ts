/** Purges an organization in bounded, idempotent steps. The organization's own item is deleted last. */
import { auditPartition } from '../audit/index.ts';
import {
  apiKeyPrefix,
  invitationPrefix,
  lookup,
  type OrganizationRecord,
  type PurgeDueRecord,
  purgeDuePartition,
} from '../organization/index.ts';
import {
  after,
  type Clock,
  commit,
  get,
  type Item,
  isConflict,
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

/** Allows for clock skew: a recovery that started in time may still be running. */
const marginSeconds = 300;

/** Items deleted between two checks of the deadline. */
const pageItems = 200;

/** The organizations whose purge is due. */
export const duePurges = (now: Date): AsyncGenerator<PurgeDueRecord> =>
  walk<PurgeDueRecord>({ ...everything(purgeDuePartition), to: iso(after(now, -marginSeconds)) });

/**
 * Deletes until the deadline and returns whether nothing remains. Returns true for an organization that is not due, such as a
 * recovered one. `purgeElsewhere` deletes what other domains keep elsewhere, while the items that lead there exist; false if not done.
 */
export const purgeOrganization = async (
  organizationId: string,
  {
    until,
    time,
    purgeElsewhere = async () => true,
  }: {
    readonly until: Date;
    readonly time: Clock;
    readonly purgeElsewhere?: ((organization: OrganizationRecord) => Promise<boolean>) | undefined;
  },
): Promise<boolean> => {
  const organization = await get(lookup.organization(organizationId));
  if (!organization || !isDue(organization, time.now())) return true;
  if (!(await purgeElsewhere(organization))) return false;
  // A call that started before the deletion may add items during a pass, but not after it, because the items it requires are
  // deleted. So the pass that finds nothing is the last.
  for (let removed: number | undefined; removed !== 0; ) {
    removed = await pass(organization, until, time);
    if (removed === undefined) return false;
  }
  try {
    await commit(lastWrites(organization));
    return true;
  } catch (error) {
    // Another purge of the same organization committed first; the next step notices.
    if (isConflict(error)) return false;
    throw error;
  }
};

const isDue = ({ deletedAt, recoveryDeadline }: OrganizationRecord, now: Date): boolean =>
  deletedAt !== undefined && (recoveryDeadline === undefined || recoveryDeadline <= iso(after(now, -marginSeconds)));

/** Every sort key begins with a letter or a digit. */
const everything = (pk: string): Range => ({ pk, prefix: '', from: '0' });

/** The number of items deleted; undefined if the deadline passed first. */
const pass = async (organization: OrganizationRecord, until: Date, time: Clock): Promise<number | undefined> => {
  let removed = 0;
  for (const pk of [organization.pk, auditPartition(organization.id), `SEEN#${organization.id}`]) {
    let position: string | undefined;
    do {
      if (time.now() >= until) return undefined;
      const page = await query({ ...everything(pk), after: position, limit: pageItems });
      const items = page.items.filter(({ sk }) => sk !== organization.sk);
      // Items that only these lead to are deleted first, so that none is orphaned.
      await removeAll(items.flatMap((item) => referencedKeys(organization.id, item)));
      await removeAll(items);
      removed += items.length;
      position = page.next;
    } while (position !== undefined);
  }
  return removed;
};

/** Items outside the organization's partitions: the links of its members and of invited addresses, and the fingerprints of its keys. */
const referencedKeys = (organizationId: string, { sk, userId, id, email }: Item): readonly Key[] => {
  if (sk.startsWith('MEMBER#')) return [lookup.membership(userId as string, organizationId)];
  if (sk === 'SERVICE_ACCOUNT' || sk.startsWith(apiKeyPrefix)) return [lookup.fingerprint(id as string)];
  if (sk.startsWith(invitationPrefix)) return [lookup.invited(email as string, organizationId)];
  return [];
};

/** The slug is freed in the last transaction. Freed earlier, another organization could take it and lose it here. */
const lastWrites = (organization: OrganizationRecord): readonly Write[] => [
  { remove: lookup.slug(organization.slug) },
  { remove: dueKey(organization) },
  remove({ pk: organization.pk, sk: organization.sk }),
];
