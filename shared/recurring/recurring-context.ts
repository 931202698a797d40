import { ApiError } from '../contract/errors.ts';
import { type OrganizationRecord, organizationKey } from '../organization/index.ts';
import { get, getAll, isConflict, type Tenant } from '../platform/index.ts';
import { type ProjectRecord, projectKey } from '../project/index.ts';
import type { RecurringKind, RecurringRecord } from './record.ts';

/** A record with its project and organization; undefined if they are deleted. */
export interface RecurringContext<R extends RecurringRecord> {
  readonly tenant: Tenant;
  readonly record: R;
  readonly project: ProjectRecord | undefined;
  readonly organization: OrganizationRecord | undefined;
}

export interface ActiveContext<R extends RecurringRecord> extends RecurringContext<R> {
  readonly organization: OrganizationRecord;
}

/** Undefined if there is no such record. */
export const loadContext = async <R extends RecurringRecord>(
  kind: RecurringKind<R>,
  tenant: Tenant,
  id: string,
): Promise<RecurringContext<R> | undefined> => {
  const record = (await get(kind.key(tenant, id))) as R | undefined;
  if (!record) return undefined;
  const [organization, project] = await getAll([
    organizationKey.organization(tenant),
    record.projectId === null ? undefined : projectKey.project(tenant, record.projectId),
  ]);
  return { tenant, record, project, organization };
};

/** A record runs, and has Scheduler entries, while it is enabled, its project exists and its organization is not deleted. */
export const isActive = <R extends RecurringRecord>(context: RecurringContext<R>): context is ActiveContext<R> =>
  context.record.enabled &&
  (context.record.projectId === null || context.project !== undefined) &&
  context.organization !== undefined &&
  context.organization.deletedAt === undefined;

/** The record, its project or its organization changed since the context was loaded: load it again. */
export const isStaleContext = (error: unknown): boolean =>
  isConflict(error) || (error instanceof ApiError && ['ORGANIZATION_NOT_FOUND', 'PROJECT_NOT_FOUND'].includes(error.code));
