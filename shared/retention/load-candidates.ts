import { type BackupRecord, backupPrefix } from '../backup/index.ts';
import { type Tenant, walk } from '../platform/index.ts';
import { Shared } from './interner.ts';
import { type RetentionCandidate, seenAttributes, toCandidate } from './retention-candidate.ts';

/** All backups of an organization that are there or on their way, in one walk. */
export const loadCandidates = async (tenant: Tenant): Promise<Map<string, RetentionCandidate>> => {
  const found = new Map<string, RetentionCandidate>();
  for await (const seen of backupsOf(tenant)) found.set(seen.id, seen);
  return found;
};

/**
 * The same again, for what was built upon, in the same place. One that is begun upon another raises the other's number in the
 * transaction that puts its own record, which may lie behind a walk that reads the number later: with the numbers of the first
 * walk and what the second has found, nobody is missed. What only the second finds is left for another day.
 */
export const reloadCandidates = async (
  tenant: Tenant,
  found: Map<string, RetentionCandidate>,
): Promise<Map<string, RetentionCandidate>> => {
  const gone = new Set(found.keys());
  for await (const seen of backupsOf(tenant)) {
    const before = found.get(seen.id);
    const known = before ? { builtUpon: before.builtUpon } : { heldUntilMs: Number.POSITIVE_INFINITY };
    found.set(seen.id, { ...seen, ...known });
    gone.delete(seen.id);
  }
  for (const id of gone) found.delete(id);
  return found;
};

async function* backupsOf(tenant: Tenant): AsyncGenerator<RetentionCandidate> {
  const shared = new Shared();
  const range = { pk: `ORG#${tenant.organizationId}`, prefix: backupPrefix, only: seenAttributes };
  for await (const backup of walk<BackupRecord>(range)) {
    const seen = toCandidate(backup, shared);
    if (seen) yield seen;
  }
}
