/** Updates or deletes a plan, if it has not changed since it was read. */
import { isDeepStrictEqual } from 'node:util';
import { auditNote } from '../../audit/index.ts';
import { enqueue } from '../../event/index.ts';
import { type CallerContext, whileActive } from '../../organization/index.ts';
import { type Change, iso, type Tenant } from '../../platform/index.ts';
import { retimed } from '../../recurring/index.ts';
import { sealCheck } from '../model/check-secrets.ts';
import { planWrites, uncountRestoreTest } from '../model/plan-writes.ts';
import type { RestoreTestRecord, SealedCheck } from '../model/record.ts';
import { auditedSettings, type ChangedPlan } from './create-restore-test.ts';
import { checkAddressAndTarget, checkPlanInput, type GivenInput } from './restore-test-input.ts';

/** Only the given settings change. A call that gives nothing new writes nothing. */
export const updateRestoreTest = async (
  { tenant }: Pick<CallerContext, 'tenant'>,
  { plan, given, now }: { readonly plan: RestoreTestRecord; readonly given: GivenInput; readonly now: Date },
): Promise<ChangedPlan> => {
  const { check: givenCheck, ...others } = given;
  const plain = Object.fromEntries(
    Object.entries(others).filter(([name, value]) => value !== undefined && !isDeepStrictEqual(value, plan[name])),
  ) as Partial<RestoreTestRecord>;
  const wanted: RestoreTestRecord = { ...plan, ...plain };
  checkPlanInput({ ...wanted, check: givenCheck === undefined ? storedCheck(plan) : givenCheck });
  const conditions = await checkAddressAndTarget(tenant, { ...wanted, check: givenCheck });
  const sealed = givenCheck ? await resealCheck(tenant, plan, givenCheck) : undefined;
  const isCheckRemoved = givenCheck === null && plan.check !== null;
  const attributes = { ...plain, ...(sealed && { check: sealed.check }), ...(isCheckRemoved && { check: null }) };
  const names = Object.keys(attributes);
  if (names.length === 0) return { plan, secret: undefined, change: { writes: [], audit: [] } };
  const revised = {
    ...attributes,
    ...retimed(plan, plain, now),
    revision: plan.revision + 1,
    updatedAt: iso(now),
  };
  const changed: RestoreTestRecord = { ...plan, ...revised };
  return {
    plan: changed,
    secret: sealed?.secret,
    change: {
      writes: [
        ...planWrites.set(tenant, plan, revised),
        whileActive(tenant),
        ...conditions,
        enqueue(tenant, { kind: 'sync-restore-test', restoreTestId: plan.id }, now),
      ],
      audit: [auditNote(tenant, { type: 'restore_test', id: plan.id, details: { ...auditedSettings(changed), changed: names } })],
    },
  };
};

/** Stands for the stored check where only its presence matters. */
const storedCheck = ({ check }: RestoreTestRecord): GivenInput['check'] =>
  check && { url: new URL(check.shownUrl).origin, timeoutSeconds: check.timeoutSeconds };

/** Without a new secret the stored one stays. */
const resealCheck = async (
  tenant: Tenant,
  { id, check: before }: RestoreTestRecord,
  check: NonNullable<GivenInput['check']>,
): Promise<{ readonly check: SealedCheck; readonly secret: string | undefined }> => {
  const sealed = await sealCheck(tenant, id, check);
  if (!before || check.secret !== undefined) return sealed;
  return { check: { ...sealed.check, sealedSecret: before.sealedSecret }, secret: undefined };
};

/** The task cancels the runs that have not ended; they remove what they wrote first. Ended runs and their evidence stay. */
export const deleteRestoreTest = (tenant: Tenant, plan: RestoreTestRecord, now: Date): Change => {
  const { id, name, projectId } = plan;
  return {
    writes: [
      ...planWrites.remove(tenant, plan),
      uncountRestoreTest(tenant),
      enqueue(tenant, { kind: 'sync-restore-test', restoreTestId: id }, now),
    ],
    audit: [auditNote(tenant, { type: 'restore_test', id, details: { name, projectId } })],
  };
};
