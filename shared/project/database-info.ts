/** Edition, location and type of a project's database, by the Admin API. */
import * as z from 'zod/mini';
import { ApiError } from '../contract/errors.ts';
import { SourceError } from '../firestore/index.ts';
import { clock, env, fetchTrusted, iso, log, type Tenant } from '../platform/index.ts';
import type { DatabaseInfo, ProjectRecord } from './record.ts';
import { sourceToken } from './source-token.ts';

/** Not `datastore.databases.get`, which begins transactions. */
export const databaseInfoPermission = 'datastore.databases.getMetadata';

const Resource = z.object({
  type: z.optional(z.string()),
  databaseEdition: z.optional(z.string()),
  locationId: z._default(z.string(), ''),
  firestoreDataAccessMode: z.optional(z.string()),
  mongodbCompatibleDataAccessMode: z.optional(z.string()),
  realtimeUpdatesMode: z.optional(z.string()),
  pointInTimeRecoveryEnablement: z.optional(z.string()),
});
type Resource = z.output<typeof Resource>;

type Source = Pick<ProjectRecord, 'id' | 'sourceProjectId' | 'databaseId' | 'connection'>;

const answerMs = 5_000;

/**
 * Asks the Admin API. Throws SOURCE_NOT_SUPPORTED for a database that cannot be backed up, whatever may be read of it. Any other
 * failure is a state, because documents may be readable all the same.
 */
export const readDatabaseInfo = async (
  tenant: Tenant,
  project: Source,
  signal: AbortSignal | undefined = undefined,
): Promise<DatabaseInfo> => {
  const checkedAt = iso(clock.now());
  const { sourceProjectId, databaseId } = project;
  const url = new URL(
    `/v1/projects/${encodeURIComponent(sourceProjectId)}/databases/${encodeURIComponent(databaseId)}`,
    env('FIRESTORE_URL'),
  );
  let found: Resource;
  try {
    const token = await sourceToken(tenant, project)({ refresh: false });
    const headers = { authorization: `Bearer ${token}`, 'x-goog-user-project': sourceProjectId };
    const answer = await fetchTrusted(url, { headers, ...(signal && { signal }) }, answerMs);
    if (answer.status === 403) return { state: 'permission_missing', checkedAt };
    if (answer.status !== 200) return { state: 'unknown', checkedAt };
    found = Resource.parse(await answer.json());
  } catch (error) {
    // The access itself is judged by what reads documents.
    if (!(error instanceof SourceError)) log.warn('the Admin API did not tell about a database', { error });
    return { state: 'unknown', checkedAt };
  }
  const reason = whyNotSupported(found);
  if (reason !== undefined)
    throw new ApiError('SOURCE_NOT_SUPPORTED', reason, { field: 'databaseId', sourceProjectId, databaseId, reason });
  return {
    state: 'known',
    checkedAt,
    edition: found.databaseEdition === 'ENTERPRISE' ? 'enterprise' : 'standard',
    locationId: found.locationId,
    pointInTimeRecovery: found.pointInTimeRecoveryEnablement === 'POINT_IN_TIME_RECOVERY_ENABLED',
    realtimeUpdates: found.realtimeUpdatesMode !== 'REALTIME_UPDATES_MODE_DISABLED',
  };
};

const whyNotSupported = (found: Resource): string | undefined => {
  if (found.type === 'DATASTORE_MODE')
    return 'The database is in Datastore mode: its entities cannot be read with the Firestore API, so they cannot be backed up. Only databases in Native mode can be connected';
  if (found.firestoreDataAccessMode !== 'DATA_ACCESS_MODE_DISABLED') return undefined;
  return found.mongodbCompatibleDataAccessMode === 'DATA_ACCESS_MODE_ENABLED'
    ? 'The database is used with MongoDB compatibility: it refuses the Firestore API, which backups and restores are made with. Enable the Firestore API’s data access on the database, or connect another'
    : 'The database refuses the Firestore API (its data access mode is disabled), which backups and restores are made with';
};

const recheckMs = 24 * 3_600_000;

/** Whether it is time to ask again: prices and limits follow a changed database within a day. */
export const isDatabaseInfoDue = ({ database }: Pick<ProjectRecord, 'database'>, now: Date): boolean =>
  database === undefined || now.getTime() - Date.parse(database.checkedAt) >= recheckMs;
