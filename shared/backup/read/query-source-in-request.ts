/** A customer's database asked within one call. */
import { type Actor, auditEntry, type Origin } from '../../audit/index.ts';
import { ApiError } from '../../contract/errors.ts';
import { type FirestoreDatabase, SourceError } from '../../firestore/index.ts';
import { commit, type Tenant } from '../../platform/index.ts';
import { type ProjectRecord, unauthorizedWrite } from '../../project/index.ts';
import type { BackupDeps } from '../backup-deps.ts';

/** Who asks, and when. */
export interface RequestCaller {
  readonly tenant: Tenant;
  readonly actor: Actor;
  readonly origin: Origin;
  readonly now: Date;
}

/** Opens the project's database for the work and closes it. One that refuses is noted before the caller is told. */
export const withSourceInRequest = async <T>(
  asker: RequestCaller,
  project: ProjectRecord,
  doors: Pick<BackupDeps, 'openSource'>,
  work: (source: FirestoreDatabase) => Promise<T>,
): Promise<T> => {
  const source = doors.openSource(asker.tenant, project, patience);
  try {
    return await work(source);
  } catch (error) {
    const isKnown = error instanceof ApiError || error instanceof SourceError;
    if (isKnown && error.code === 'SOURCE_AUTH_ERROR') await tellRefusal(asker, project, error);
    throw error;
  } finally {
    source.close();
  }
};

/** The function ends after 20 s; telling what was found takes some of them. */
export const sourceRequestTimeoutMs = 17_000;

/** Three tries are what fits into a call. */
const patience = {
  attempts: 3,
  firstDelayMs: 200,
  maxDelayMs: 1_000,
  firstExhaustedDelayMs: 500,
  maxExhaustedDelayMs: 1_000,
  silenceMs: sourceRequestTimeoutMs,
};

/** The call changes nothing else. */
const tellRefusal = async (
  { tenant, actor, origin, now }: RequestCaller,
  project: ProjectRecord,
  error: Error,
): Promise<void> => {
  if (project.status !== 'connected') return;
  const resource = { type: 'project', id: project.id };
  const note = { scope: tenant.organizationId, resource, details: { reason: error.message } };
  await commit([unauthorizedWrite(tenant, project, now), auditEntry('project.unauthorized', note, actor, origin, now)]);
};
