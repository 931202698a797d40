/** Finds out which backup still holds the documents of each erasure, and says so when none does any more. */
import { entriesOf, erasureKey, ledgerKey, openEntry } from '../../erasure/index.ts';
import { enqueue } from '../../event/index.ts';
import { commit, get, retryOnConflict, type Tenant } from '../../platform/index.ts';
import { projectKey } from '../../project/index.ts';
import { Assessment } from './assessment.ts';
import { type EntryOutcome, EntryWriter, searchProgress } from './entry-writer.ts';
import { resolveQuery } from './resolve-query.ts';
import type { AssessOptions } from './search-kept-backup.ts';

interface AssessTask {
  readonly projectId: string;
  /** Only this entry. */
  readonly erasureId?: string | undefined;
  /** This entry and later ones. */
  readonly from?: string | undefined;
}

/**
 * Idempotent. An entry is only said to be expired if every kept backup, and all captured changes, were searched. If the time is up, one
 * other task goes on: with the rest of the entry in progress, then with later ones. Every task makes progress.
 */
export const assessErasures = async (tenant: Tenant, task: AssessTask, options: AssessOptions): Promise<void> => {
  const { projectId, erasureId, from } = task;
  const { clock, deadline } = options;
  const continueWith = (rest: Omit<AssessTask, 'projectId'>): Promise<void> =>
    commit([enqueue(tenant, { kind: 'assess-erasures', projectId, ...rest }, clock.now())]);
  if (erasureId !== undefined) {
    if ((await assessEntry(tenant, { projectId, id: erasureId, options })) === 'continues') await continueWith({ erasureId });
    return;
  }
  let isFirst = true;
  for await (const { id } of entriesOf(tenant, projectId, from)) {
    if (!isFirst && clock.now() >= deadline) return continueWith({ from: id });
    isFirst = false;
    if ((await assessEntry(tenant, { projectId, id, options })) === 'continues') return continueWith({ from: id });
  }
};

const conflictRetry = { attempts: 8, jitterMs: 500 };

/** Several tasks may assess the same entry. The first that saves its progress goes on with it; the others leave it to that one. */
const assessEntry = (
  tenant: Tenant,
  { projectId, id, options }: { readonly projectId: string; readonly id: string; readonly options: AssessOptions },
): Promise<EntryOutcome> => {
  let before: string | undefined;
  return retryOnConflict(conflictRetry, async () => {
    // A move hides backups; its end starts another assessment.
    if (await get(projectKey.move(tenant, projectId))) return 'done';
    const ledger = await get(erasureKey.ledger(tenant, projectId));
    const entry = await get(erasureKey.erasure(tenant, projectId, id));
    if (!ledger || !entry) return 'done';
    const progress = JSON.stringify(searchProgress(entry));
    if (before !== undefined && progress !== before && progress !== '{}') return 'done';
    before = progress;
    const open = { ledger, entry, erasure: await openEntry(ledger, entry, await ledgerKey(ledger)) };
    const writer = new EntryWriter(tenant, open, options.clock);
    if (open.erasure.query && !entry.isResolved) return resolveQuery(tenant, { open, writer, options });
    return new Assessment(tenant, open, { ...options, writer }).assess();
  });
};
