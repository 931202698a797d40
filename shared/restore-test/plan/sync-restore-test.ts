/** Makes the Scheduler's entries match the plans, and removes plans with their project or organization. */
import { auditNote, systemAudit } from '../../audit/index.ts';
import { organizationKey } from '../../organization/index.ts';
import {
  type Clock,
  clock,
  commit,
  get,
  getAll,
  iso,
  removeAll,
  retryOnConflict,
  set,
  type Tenant,
} from '../../platform/index.ts';
import { projectKey } from '../../project/index.ts';
import { entriesFor, entryNames, nextRunAfter, type Scheduler, scheduler } from '../../schedule/index.ts';
import { deleteRestoreTest } from '../api/update-restore-test.ts';
import { restoreTestsOf, unfinishedRuns } from '../model/get-restore-test.ts';
import { dueTestWrites, setPlan } from '../model/plan-writes.ts';
import { type RestoreTestRecord, restoreTestKey } from '../model/record.ts';

/** A plan runs, and has Scheduler entries, while it is enabled, its project exists and its organization is not deleted. */
export const isActivePlan = async (tenant: Tenant, { enabled, projectId }: RestoreTestRecord): Promise<boolean> => {
  const [organization, project] = await getAll([
    organizationKey.organization(tenant),
    projectId === null ? undefined : projectKey.project(tenant, projectId),
  ]);
  return (
    enabled &&
    organization?.deletedAt === undefined &&
    organization !== undefined &&
    (projectId === null || project !== undefined)
  );
};

export const syncRestoreTest = (
  tenant: Tenant,
  restoreTestId: string,
  time: Clock = clock,
  entries: Scheduler = scheduler,
): Promise<void> =>
  retryOnConflict({ attempts: 5 }, async () => {
    const plan = await get(restoreTestKey.plan(tenant, restoreTestId));
    const isActive = plan !== undefined && (await isActivePlan(tenant, plan));
    const task = { kind: 'run-restore-test', restoreTestId } as const;
    const wanted = isActive ? entriesFor(tenant, plan, task, time.now()) : [];
    for (const entry of wanted) await entries.put(entry);
    for (const name of entryNames(tenant, restoreTestId).slice(wanted.length)) await entries.remove(name);
    if (!plan) return cancelRuns(tenant, restoreTestId, time.now());
    const nextRunAt = isActive ? (plan.nextRunAt ?? nextRunAfter(plan, time.now())) : null;
    await commit([
      setPlan(plan, { enteredRevision: plan.revision, nextRunAt }),
      ...dueTestWrites(tenant, plan, { ...plan, nextRunAt }),
    ]);
  });

/** Each run by itself, however many a deleted plan has; a repeated task finds those that remain. */
const cancelRuns = async (tenant: Tenant, restoreTestId: string, now: Date): Promise<void> => {
  for (const run of await unfinishedRuns(tenant, restoreTestId)) {
    const { id, status, cancelRequestedAt } = run;
    if (cancelRequestedAt === undefined)
      await commit([set(restoreTestKey.run(tenant, id), { cancelRequestedAt: iso(now) }, { expected: { status } })]);
  }
};

/**
 * After a project was deleted its plans are deleted, too. Plans that restore into it stay enabled: each due time then fails, with an
 * event, until they get another target. Otherwise all plans are synchronised.
 */
export const syncAllRestoreTests = async (
  tenant: Tenant,
  { projectId, isDeleted }: { readonly projectId: string | undefined; readonly isDeleted: boolean },
  time: Clock = clock,
): Promise<void> => {
  for await (const plan of restoreTestsOf(tenant)) {
    if (!isDeleted) await syncRestoreTest(tenant, plan.id, time);
    else if (plan.projectId === projectId) await deleteWithProject(tenant, plan.id, time);
  }
};

const deleteWithProject = (tenant: Tenant, restoreTestId: string, time: Clock): Promise<void> =>
  retryOnConflict({ attempts: 5 }, async () => {
    const plan = await get(restoreTestKey.plan(tenant, restoreTestId));
    if (!plan) return;
    const now = time.now();
    const { writes } = deleteRestoreTest(tenant, plan, now);
    const note = auditNote(tenant, 'restore_test', plan.id, { name: plan.name, reason: 'its project was deleted' });
    await commit([...writes, systemAudit('scheduler', { action: 'restore_test.deleted', note, now })]);
  });

/** Deletes an organization's plans with their Scheduler entries and due items. False if the deadline passed first. */
export const purgeRestoreTests = async (
  tenant: Tenant,
  until: Date,
  time: Clock,
  remove: Scheduler['remove'] = scheduler.remove,
): Promise<boolean> => {
  for await (const { id, nextRunAt, pk, sk } of restoreTestsOf(tenant)) {
    if (time.now() >= until) return false;
    for (const name of entryNames(tenant, id)) await remove(name);
    await removeAll([...(nextRunAt === null ? [] : [restoreTestKey.due(tenant, id, nextRunAt)]), { pk, sk }]);
  }
  return true;
};
