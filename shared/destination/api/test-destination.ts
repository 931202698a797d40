/** Trying a destination for a caller: what the probe found, as an answer, an error, an event and an audit entry. */
import { type Actor, auditEntry, type Origin } from '../../audit/index.ts';
import { ApiError } from '../../contract/errors.ts';
import { emit, withRequestId } from '../../event/index.ts';
import { type CallerContext, organizationKey, organizationRef } from '../../organization/index.ts';
import { type Change, commit, iso, set, type Tenant, type Write } from '../../platform/index.ts';
import { type Credentials, openCredentials } from '../model/credentials.ts';
import { destinationData, destinationNotFound } from '../model/read-destination.ts';
import type { DestinationRecord } from '../model/record.ts';
import { externalIdOf } from '../open/open-store.ts';
import { type ProbeResult, type ProbeTarget, probeStore } from '../probe/probe-store.ts';
import { about } from './create-destination.ts';

export interface TestContext extends Pick<CallerContext, 'tenant' | 'organization'> {
  readonly actor: Actor;
  readonly origin: Origin;
}

/** Throws STORAGE_ERROR that says which step failed and why. For a role it also says what its trust policy must ask for. */
export const assertDestinationWorks = async (
  tenant: Tenant,
  tried: ProbeTarget,
  credentials: Credentials,
): Promise<ProbeResult> => {
  const found = await probeStore(tenant, tried, credentials);
  if (!found.failure) return found;
  const { step, reason } = found.failure;
  throw new ApiError('STORAGE_ERROR', `The storage destination does not work: ${reason}`, {
    ...{ step, reason, checks: found.checks },
    ...('roleArn' in credentials && { externalId: tried.externalId ?? externalIdOf(tenant) }),
  });
};

/** The same for a destination that exists: that it failed is kept and told, whatever becomes of the call. */
export const testAndRecord = async (
  trying: TestContext,
  record: DestinationRecord,
  tried: { readonly place: ProbeTarget; readonly credentials: Credentials; readonly action: string },
  now: Date,
): Promise<ProbeResult> => {
  try {
    return await assertDestinationWorks(trying.tenant, tried.place, tried.credentials);
  } catch (error) {
    if (error instanceof ApiError && error.code === 'STORAGE_ERROR') {
      const { step, reason } = error.details as { readonly step: string; readonly reason: string };
      const note = { ...about(trying.tenant, record.id), details: { name: record.name, success: false, step, reason } };
      const { actor, origin } = trying;
      const writes = failureWrites(trying, record, reason, now).map(withRequestId(origin.requestId));
      await commit([...writes, auditEntry(tried.action, note, actor, origin, now)]);
    }
    throw error;
  }
};

/** Marks a destination that failed, and tells of it. */
export const failureWrites = (
  { tenant, organization }: Pick<CallerContext, 'tenant' | 'organization'>,
  record: DestinationRecord,
  error: string,
  now: Date,
): readonly Write[] => {
  const attributes = { status: 'error', lastTestedAt: iso(now) } as const;
  const storage = destinationData({ ...record, ...attributes });
  return [
    set(organizationKey.storageDestination(tenant, record.id), attributes, { onConditionFailed: destinationNotFound }),
    emit(tenant, 'storage.error', { organization: organizationRef(organization), storage, error }, now),
  ];
};

/** "Test this destination": as it is stored, with what is stored. */
export const testDestination = async (
  trying: TestContext,
  record: DestinationRecord,
  now: Date,
): Promise<{ found: ProbeResult; change: Change }> => {
  const { tenant, organization } = trying;
  const credentials = await openCredentials(tenant, record);
  const found = await testAndRecord(trying, record, { place: record, credentials, action: 'storage.tested' }, now);
  const attributes = { status: 'connected', lastTestedAt: iso(now) } as const;
  const storage = destinationData({ ...record, ...attributes });
  return {
    found,
    change: {
      writes: [
        set(organizationKey.storageDestination(tenant, record.id), attributes, { onConditionFailed: destinationNotFound }),
        ...(record.status === 'error'
          ? [emit(tenant, 'storage.connected', { organization: organizationRef(organization), storage }, now)]
          : []),
      ],
      audit: [{ ...about(tenant, record.id), details: { name: record.name, success: true, warnings: found.warnings } }],
    },
  };
};
