import { ApiError } from '../contract/errors.ts';
import { denialReason, type FirestoreDatabase, probeSource, readerRole, SourceError } from '../firestore/index.ts';
import { env, type Tenant } from '../platform/index.ts';
import { readDatabaseInfo } from './database-info.ts';
import { openSource } from './open-source.ts';
import type { Connection, DatabaseInfo } from './record.ts';
import { attributesOf, principalOf } from './trusted-attributes.ts';

/** The function times out after 20 s and needs time for its own work. */
export const probeMs = 10_000;
/** A healthy source responds in a fraction of a second; three attempts fit into the time. */
const sourceRetryPolicy = {
  attempts: 3,
  firstDelayMs: 200,
  maxDelayMs: 1_000,
  firstExhaustedDelayMs: 500,
  maxExhaustedDelayMs: 1_000,
};

type Source = Parameters<typeof openSource>[1];

/** Runs `work` on the source. Throws SOURCE_AUTH_ERROR or SOURCE_NOT_FOUND if it refuses, SERVICE_UNAVAILABLE if it does not respond. */
export const askSource = async <T>(
  tenant: Tenant,
  {
    project,
    work,
    withinMs = probeMs,
  }: {
    readonly project: Source;
    readonly work: (source: FirestoreDatabase, signal: AbortSignal) => Promise<T>;
    readonly withinMs?: number | undefined;
  },
): Promise<T> => {
  const source = openSource(tenant, project, { ...sourceRetryPolicy, silenceMs: withinMs });
  const signal = AbortSignal.timeout(withinMs);
  const timeout = new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => reject(unavailable()), { once: true });
  });
  try {
    return await Promise.race([work(source, signal), timeout]);
  } catch (error) {
    throw error instanceof SourceError ? toApiError(tenant, error, project) : error;
  } finally {
    source.close();
  }
};

/**
 * Checks the access to the source, which costs one read, and asks the Admin API about the database. Throws SOURCE_NOT_SUPPORTED for
 * one that cannot be backed up, which would otherwise only be refused as if access were missing.
 */
export const probeProject = async (tenant: Tenant, project: Source): Promise<DatabaseInfo> => {
  const [info, probed] = await Promise.allSettled([
    readDatabaseInfo(tenant, project),
    askSource(tenant, { project, work: probeSource }),
  ]);
  if (info.status === 'rejected') throw info.reason;
  if (probed.status === 'rejected') throw probed.reason;
  return info.value;
};

export const isRefusedBySource = (error: unknown): boolean =>
  error instanceof ApiError && ['SOURCE_AUTH_ERROR', 'SOURCE_NOT_FOUND', 'SOURCE_NOT_SUPPORTED'].includes(error.code);

const toApiError = (tenant: Tenant, error: SourceError, { sourceProjectId, databaseId, connection }: Source): ApiError => {
  if (error.isTransient || error.code === 'CANCELLED') return unavailable(error);
  const { message } = error;
  const denial = denialReason(error);
  if (denial === 'not-found') {
    const details = { field: 'sourceProjectId', reason: message, sourceProjectId, databaseId };
    return new ApiError('SOURCE_NOT_FOUND', message, details, { cause: error });
  }
  // The owner of the source can fix it, by a new consent or by granting access.
  const details = {
    reason: message,
    ...(connection.type !== 'workload_identity' && { authorizationUrl: `${env('PUBLIC_URL')}/api/v1/auth/google` }),
    ...(connection.type === 'workload_identity' && trustDetails(tenant, connection)),
    ...(denial === 'role-missing' && { role: readerRole, account: accountOf(tenant, connection) }),
  };
  return new ApiError('SOURCE_AUTH_ERROR', `Access to the source project was denied: ${message}`, details, { cause: error });
};

/** What the provider must look like. */
const trustDetails = (tenant: Tenant, { audience }: { readonly audience?: string }) => ({
  field: 'workloadIdentity',
  ...(audience !== undefined && { audience }),
  attributeCondition: attributesOf(tenant).attributeCondition,
});

/** The account that lacks a role: without a service account it is the pool's principal. */
const accountOf = (tenant: Tenant, connection: Connection): string =>
  connection.type === 'workload_identity' && connection.email === '' && connection.audience !== undefined
    ? principalOf(tenant, connection.audience)
    : connection.email;

const unavailable = (cause?: unknown): ApiError =>
  new ApiError('SERVICE_UNAVAILABLE', 'The source project did not respond; try again shortly', undefined, {
    cause,
    headers: { 'retry-after': '5' },
  });
