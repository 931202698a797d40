/** Tests a destination for a caller, and records the result as status, event and audit entry. */
import { type Actor, auditEntry, auditNote, type Origin } from '../../audit/index.ts';
import type { AuditAction } from '../../contract/audit-actions.ts';
import { ApiError } from '../../contract/errors.ts';
import { storageEvents } from '../../contract/event-data/storage-events.ts';
import type { EventData } from '../../contract/events/event-catalogue.ts';
import { storageFailureKinds } from '../../contract/models/storage-destination.ts';
import { emit, withRequestId } from '../../event/index.ts';
import { type CallerContext, organizationRef } from '../../organization/index.ts';
import { type Change, commit, iso, set, type Tenant, type Write } from '../../platform/index.ts';
import { attributesOf, principalOf } from '../../project/index.ts';
import { type Credentials, credentialsMissing, openCredentials } from '../model/credentials.ts';
import { connectedEvent, destinationData, destinationKey, destinationNotFound } from '../model/read-destination.ts';
import type { DestinationRecord, StorageIdentity } from '../model/record.ts';
import { externalIdOf } from '../open/open-store.ts';
import { type ProbeResult, type ProbeTarget, probeStore } from '../probe/probe-store.ts';

interface TestContext extends Pick<CallerContext, 'tenant' | 'organization'> {
  readonly actor: Actor;
  readonly origin: Origin;
}

/** Throws a STORAGE_ERROR that names the failed step and its reason. For a role it also names the required ExternalId. */
export const assertDestinationWorks = async (
  tenant: Tenant,
  target: ProbeTarget,
  credentials: Credentials,
): Promise<ProbeResult> => {
  const found = await probeStore(tenant, target, { credentials });
  if (!found.failure) return found;
  const { step, kind, reason } = found.failure;
  throw new ApiError('STORAGE_ERROR', `The storage destination failed its test: ${reason}`, {
    step,
    kind,
    reason,
    checks: found.checks,
    ...('roleArn' in credentials && { externalId: target.externalId ?? externalIdOf(tenant) }),
    ...('audience' in credentials && identityDetails(tenant, credentials)),
  });
};

/** What the provider must require, and who needs the role on the bucket. */
const identityDetails = (tenant: Tenant, { audience, serviceAccountEmail }: StorageIdentity) => ({
  audience,
  attributeCondition: attributesOf(tenant).attributeCondition,
  account: serviceAccountEmail ?? principalOf(tenant, audience),
});

/** The same for a stored destination. A failure is committed with its event and audit entry before the error is thrown. */
export const testAndRecord = async (
  context: TestContext,
  record: DestinationRecord,
  {
    target,
    credentials,
    action,
    now,
  }: {
    readonly target: ProbeTarget;
    readonly credentials: Credentials;
    readonly action: AuditAction;
    readonly now: Date;
  },
): Promise<ProbeResult> => {
  try {
    return await assertDestinationWorks(context.tenant, target, credentials);
  } catch (error) {
    if (error instanceof ApiError && error.code === 'STORAGE_ERROR') {
      const { step, kind, reason } = error.details as Required<ProbeResult>['failure'];
      const { tenant, actor, origin } = context;
      const note = auditNote(tenant, {
        type: 'storage_destination',
        id: record.id,
        details: { name: record.name, success: false, step, kind, reason },
      });
      const failure = { code: 'STORAGE_ERROR', message: reason, details: { step, kind } } as const;
      const writes = failureWrites(context, { record, error: failure, now }).map(withRequestId(origin.requestId));
      await commit([...writes, auditEntry(action, { note, actor, origin, now })]);
    }
    throw error;
  }
};

/** The error of a job names neither a step nor a kind. */
const findingOf = ({ details = {} }: EventData<'storage.error'>['error']) => ({
  step: typeof details.step === 'string' ? details.step : null,
  kind: storageFailureKinds.find((kind) => kind === details.kind) ?? null,
});

/** Marks a destination as failed, with its event. */
export const failureWrites = (
  { tenant, organization }: Pick<CallerContext, 'tenant' | 'organization'>,
  {
    record,
    error,
    now,
  }: { readonly record: DestinationRecord; readonly error: EventData<'storage.error'>['error']; readonly now: Date },
): readonly Write[] => {
  const lastError = { at: iso(now), ...findingOf(error), message: error.message };
  const attributes = { status: 'error', lastError, lastTestedAt: iso(now) } as const;
  const storage = destinationData({ ...record, ...attributes });
  return [
    set(destinationKey(tenant, record.id), attributes, { onConditionFailed: destinationNotFound }),
    emit(tenant, {
      schemas: storageEvents,
      name: 'storage.error',
      data: { organization: organizationRef(organization), storage, error },
      now,
    }),
  ];
};

/** Tests a stored destination with its stored credentials. */
export const testDestination = async (
  context: TestContext,
  record: DestinationRecord,
  now: Date,
): Promise<{ found: ProbeResult; change: Change }> => {
  const { tenant } = context;
  const credentials = await openCredentials(tenant, record);
  if (!credentials) {
    const details = { step: 'credentials', kind: 'denied', reason: credentialsMissing, checks: [] };
    throw new ApiError('STORAGE_ERROR', credentialsMissing, details);
  }
  const found = await testAndRecord(context, record, { target: record, credentials, action: 'storage.tested', now });
  const attributes = { status: 'connected', lastError: undefined, lastTestedAt: iso(now) } as const;
  return {
    found,
    change: {
      writes: [
        set(destinationKey(tenant, record.id), attributes, { onConditionFailed: destinationNotFound }),
        ...(record.status === 'error' ? [connectedEvent(context, { ...record, ...attributes }, now)] : []),
      ],
      audit: [
        auditNote(tenant, {
          type: 'storage_destination',
          id: record.id,
          details: { name: record.name, success: true, warnings: found.warnings },
        }),
      ],
    },
  };
};
