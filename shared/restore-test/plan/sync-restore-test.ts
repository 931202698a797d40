/** Makes the Scheduler's entries match the plans, and removes plans with their project or organization. */
import { auditNote, systemAudit } from '../../audit/index.ts';
import { type Clock, clock, commit, get, iso, retryOnConflict, set, type Tenant } from '../../platform/index.ts';
import { purgeRecurring, type Scheduler, scheduler, syncEntries } from '../../recurring/index.ts';
import { deleteRestoreTest } from '../api/update-restore-test.ts';
import { restoreTestsOf, unfinishedRuns } from '../model/get-restore-test.ts';
import { restoreTestKind } from '../model/plan-writes.ts';
import { restoreTestKey } from '../model/record.ts';

export const syncRestoreTest = async (
  tenant: Tenant,
  restoreTestId: string,
  { time = clock, entries = scheduler }: { readonly time?: Clock; readonly entries?: Scheduler } = {},
): Promise<void> => {
  const isKept = await syncEntries(restoreTestKind, { tenant, id: restoreTestId }, { time, entries });
  if (!isKept) await retryOnConflict({ attempts: 5 }, () => cancelRuns(tenant, restoreTestId, time.now()));
};

/** Each run by itself, however many a deleted plan has; a repeated task finds those that remain. */
const cancelRuns = async (tenant: Tenant, restoreTestId: string, now: Date): Promise<void> => {
  for (const run of await unfinishedRuns(tenant, restoreTestId)) {
    const { id, status, cancelRequestedAt } = run;
    if (cancelRequestedAt === undefined)
      await commit([set(restoreTestKey.run(tenant, id), { cancelRequestedAt: iso(now) }, { expected: { status } })]);
  }
};

/**
 * Synchronises every plan, or those of one project. After the project was deleted they are deleted, too; plans that restore into it stay
 * enabled: each due time then fails, with an event, until they get another target.
 */
export const syncAllRestoreTests = async (
  tenant: Tenant,
  {
    projectId,
    isDeleted,
    time = clock,
    entries = scheduler,
  }: {
    readonly projectId: string | undefined;
    readonly isDeleted: boolean;
    readonly time?: Clock | undefined;
    readonly entries?: Scheduler | undefined;
  },
): Promise<void> => {
  for await (const { id } of restoreTestsOf(tenant, { projectId })) {
    if (isDeleted) await deleteWithProject(tenant, id, time);
    else await syncRestoreTest(tenant, id, { time, entries });
  }
};

const deleteWithProject = (tenant: Tenant, restoreTestId: string, time: Clock): Promise<void> =>
  retryOnConflict({ attempts: 5 }, async () => {
    const plan = await get(restoreTestKey.plan(tenant, restoreTestId));
    if (!plan) return;
    const now = time.now();
    const { writes } = deleteRestoreTest(tenant, plan, now);
    const note = auditNote(tenant, {
      type: 'restore_test',
      id: plan.id,
      details: { name: plan.name, reason: 'its project was deleted' },
    });
    await commit([...writes, systemAudit('scheduler', { action: 'restore_test.deleted', note, now })]);
  });

/** Deletes an organization's plans with their Scheduler entries and due items. False if the deadline passed first. */
export const purgeRestoreTests = (
  tenant: Tenant,
  {
    until,
    time,
    remove = scheduler.remove,
  }: { readonly until: Date; readonly time: Clock; readonly remove?: Scheduler['remove'] | undefined },
): Promise<boolean> => purgeRecurring(restoreTestKind, restoreTestsOf(tenant), { tenant, until, time, remove });
