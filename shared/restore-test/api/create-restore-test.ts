/** Creates a plan in one transaction: record, due item, and the task that creates its Scheduler entries. */
import { auditNote } from '../../audit/index.ts';
import { enqueue } from '../../event/index.ts';
import type { CallerContext } from '../../organization/index.ts';
import { type Change, iso, newId } from '../../platform/index.ts';
import { nextRunAtOf } from '../../recurring/index.ts';
import { sealCheck } from '../model/check-secrets.ts';
import { countRestoreTest, planWrites } from '../model/plan-writes.ts';
import { type RestoreTestRecord, restoreTestKey } from '../model/record.ts';
import { checkAddressAndTarget, checkPlanInput, type PlanInput } from './restore-test-input.ts';

export interface ChangedPlan {
  readonly plan: RestoreTestRecord;
  /** The secret of the check, if this call set it. */
  readonly secret: string | undefined;
  readonly change: Change;
}

export const createRestoreTest = async (
  { tenant, actor }: Pick<CallerContext, 'tenant' | 'actor'>,
  input: PlanInput,
  now: Date,
): Promise<ChangedPlan> => {
  checkPlanInput(input);
  const nextRunAt = nextRunAtOf(input, now);
  const conditions = await checkAddressAndTarget(tenant, input);
  const id = newId('restoreTest', now);
  const sealed = input.check && (await sealCheck(tenant, id, input.check));
  const plan: RestoreTestRecord = {
    ...restoreTestKey.plan(tenant, id),
    id,
    ...input,
    check: sealed?.check ?? null,
    nextRunAt,
    lastRunAt: null,
    lastOutcome: null,
    createdBy: { id: actor.id, email: actor.email },
    createdAt: iso(now),
    updatedAt: iso(now),
    revision: 1,
    enteredRevision: 0,
  };
  return {
    plan,
    secret: sealed?.secret,
    change: {
      writes: [
        ...planWrites.create(tenant, plan),
        countRestoreTest(tenant),
        ...conditions,
        enqueue(tenant, { kind: 'sync-restore-test', restoreTestId: id }, now),
      ],
      audit: [auditNote(tenant, { type: 'restore_test', id, details: auditedSettings(plan) })],
    },
  };
};

/** What the audit log says of a plan: of the check only the host. */
export const auditedSettings = ({
  name,
  projectId,
  cron,
  timezone,
  backup,
  scope,
  target,
  check,
  enabled,
}: RestoreTestRecord) => ({
  name,
  projectId,
  cron,
  timezone,
  backup,
  scope,
  target,
  enabled,
  ...(check && { check: { host: new URL(check.shownUrl).host, timeoutSeconds: check.timeoutSeconds } }),
});
