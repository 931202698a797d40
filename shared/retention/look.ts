import { type BackupRecord, backupPrefix } from '../backup/index.ts';
import { type Tenant, walk } from '../platform/index.ts';
import { type Seen, seenAttributes, seenOf } from './seen.ts';

/** All backups of an organization that are there or on their way, in one walk. */
export const look = async (tenant: Tenant): Promise<Map<string, Seen>> => {
  const texts = new Map<string, string>();
  const intern = (text: string): string => {
    const known = texts.get(text);
    if (known === undefined) texts.set(text, text);
    return known ?? text;
  };
  const found = new Map<string, Seen>();
  const range = { pk: `ORG#${tenant.organizationId}`, prefix: backupPrefix, only: seenAttributes };
  for await (const backup of walk(range) as AsyncIterable<BackupRecord>) {
    const seen = seenOf(backup, intern);
    if (seen) found.set(seen.id, seen);
  }
  return found;
};

/**
 * The same again, for what was built upon. One that is begun upon another raises the other's number in the transaction that
 * puts its own record, which may lie behind a walk that reads the number later: with the numbers of the first walk and what
 * the second has found, nobody is missed. What only the second finds is left for another day.
 */
export const lookAgain = async (tenant: Tenant, first: ReadonlyMap<string, Seen>): Promise<Map<string, Seen>> => {
  const second = await look(tenant);
  for (const [id, seen] of second) {
    const before = first.get(id);
    second.set(id, before ? { ...seen, builtUpon: before.builtUpon } : { ...seen, heldUntilMs: Number.POSITIVE_INFINITY });
  }
  return second;
};
