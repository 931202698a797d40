import { type Tenant, walk } from '../platform/index.ts';
import { type BackupRecord, backupPrefix } from '../stored-backup/index.ts';
import { Interner } from './interner.ts';
import { candidateAttributes, type RetentionCandidate, toCandidate } from './retention-candidate.ts';

/** All existing and running backups of an organization, in one walk. */
export const loadCandidates = async (tenant: Tenant): Promise<Map<string, RetentionCandidate>> => {
  const found = new Map<string, RetentionCandidate>();
  for await (const candidate of candidatesOf(tenant)) found.set(candidate.id, candidate);
  return found;
};

/**
 * A second walk, needed when a candidate has children. Starting a child increments its parent's `childCount` in the transaction
 * that creates the child, so the counts of the first walk with the records of the second miss no child. A backup that only the
 * second walk finds is held: a later run decides on it.
 */
export const reloadCandidates = async (
  tenant: Tenant,
  found: Map<string, RetentionCandidate>,
): Promise<Map<string, RetentionCandidate>> => {
  const missing = new Set(found.keys());
  for await (const candidate of candidatesOf(tenant)) {
    const before = found.get(candidate.id);
    const known = before ? { childCount: before.childCount } : { heldUntilMs: Number.POSITIVE_INFINITY };
    found.set(candidate.id, { ...candidate, ...known });
    missing.delete(candidate.id);
  }
  for (const id of missing) found.delete(id);
  return found;
};

async function* candidatesOf(tenant: Tenant): AsyncGenerator<RetentionCandidate> {
  const interner = new Interner();
  const range = { pk: `ORG#${tenant.organizationId}`, prefix: backupPrefix, only: candidateAttributes };
  for await (const backup of walk<BackupRecord>(range)) {
    const candidate = toCandidate(backup, interner);
    if (candidate) yield candidate;
  }
}
