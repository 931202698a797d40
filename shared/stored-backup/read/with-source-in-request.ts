import { type Actor, auditEntry, auditNote, type Origin } from '../../audit/index.ts';
import { ApiError } from '../../contract/errors.ts';
import { type FirestoreDatabase, SourceError } from '../../firestore/index.ts';
import { commit, type Tenant } from '../../platform/index.ts';
import { type ProjectRecord, unauthorizedWrite } from '../../project/index.ts';
import type { BackupDeps } from '../backup-deps.ts';

export interface RequestCaller {
  readonly tenant: Tenant;
  readonly actor: Actor;
  readonly origin: Origin;
  readonly now: Date;
}

/** Runs `work` with the project's database, within an API request. If the database denies access, the project is marked first. */
export const withSourceInRequest = async <T>(
  caller: RequestCaller,
  {
    project,
    deps,
    work,
  }: {
    readonly project: ProjectRecord;
    readonly deps: Pick<BackupDeps, 'openSource'>;
    readonly work: (source: FirestoreDatabase) => Promise<T>;
  },
): Promise<T> => {
  const source = deps.openSource(caller.tenant, project, retryPolicy);
  try {
    return await work(source);
  } catch (error) {
    const isKnown = error instanceof ApiError || error instanceof SourceError;
    if (isKnown && error.code === 'SOURCE_AUTH_ERROR') await markUnauthorized(caller, project, error);
    throw error;
  } finally {
    source.close();
  }
};

/** The function times out after 20 s; the response takes some of them. */
export const sourceRequestTimeoutMs = 17_000;

/** Three attempts fit into a request. */
const retryPolicy = {
  attempts: 3,
  firstDelayMs: 200,
  maxDelayMs: 1_000,
  firstExhaustedDelayMs: 500,
  maxExhaustedDelayMs: 1_000,
  silenceMs: sourceRequestTimeoutMs,
};

const markUnauthorized = async (
  { tenant, actor, origin, now }: RequestCaller,
  project: ProjectRecord,
  error: Error,
): Promise<void> => {
  if (project.status !== 'connected') return;
  const note = auditNote(tenant, { type: 'project', id: project.id, details: { reason: error.message } });
  await commit([unauthorizedWrite(tenant, project, now), auditEntry('project.unauthorized', { note, actor, origin, now })]);
};
