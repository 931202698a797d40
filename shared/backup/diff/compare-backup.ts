/** A comparison within one call: what may be compared with what, and who is told. */
import { type Role, roleAtLeast } from '../../contract/access.ts';
import { ApiError, invalid } from '../../contract/errors.ts';
import { SourceError } from '../../firestore/index.ts';
import { after, type Change, type Tenant } from '../../platform/index.ts';
import { readProject } from '../../project/index.ts';
import { type BackupDeps, backupDeps } from '../backup-deps.ts';
import { readBackup } from '../model/read-backup.ts';
import type { BackupRecord } from '../model/record.ts';
import { assertCompleted, requestArchiveDeps, withArchiveInRequest } from '../read/with-archive-in-request.ts';
import { type RequestCaller, sourceRequestTimeoutMs, withSourceInRequest } from '../read/with-source-in-request.ts';
import { type DiffOptions, type DiffPage, diffBackups, diffLive } from './diff-archives.ts';

export interface DiffRequest extends RequestCaller {
  /** Undefined for a service account: what it may do is told by its scopes. */
  readonly role: Role | undefined;
  readonly page: { readonly limit: number; readonly after: string | undefined };
}

/** The function ends after 20 s; opening, and telling what was found, take some of them. */
const workSeconds = 13;

/** Comparing shows which documents there are: it is noted as reading is. */
export const compareBackup = async (
  call: DiffRequest,
  backup: BackupRecord,
  against: string,
  deps: BackupDeps = { ...backupDeps, ...requestArchiveDeps },
): Promise<DiffPage & { change: Change }> => {
  const { tenant, page } = call;
  if (against === 'live') refuseUnlessMember(call);
  assertCompleted(backup);
  const options = { ...page, deadline: after(deps.clock.now(), workSeconds), clock: deps.clock };
  const compared =
    against === 'live' ? await withLive(call, backup, options, deps) : await withBackup(tenant, backup, against, options, deps);
  const { id, projectId } = backup;
  const audit = [{ scope: tenant.organizationId, resource: { type: 'backup', id }, details: { projectId, against } }];
  return { ...compared, change: { writes: [], audit } };
};

/** The live database bills what is read of it: as with a backup, that is for members to decide. */
const refuseUnlessMember = ({ role }: DiffRequest): void => {
  if (role === undefined || roleAtLeast(role, 'member')) return;
  throw new ApiError('PERMISSION_DENIED', 'Comparing with the live database needs the role member', {
    requiredRole: 'member',
    currentRole: role,
  });
};

const withBackup = async (
  tenant: Tenant,
  backup: BackupRecord,
  against: string,
  options: DiffOptions,
  deps: BackupDeps,
): Promise<DiffPage> => {
  const other = await readBackup(tenant, against);
  if (other.projectId !== backup.projectId) throw invalid('against', 'must be a backup of the same project');
  assertCompleted(other);
  return withArchiveInRequest(
    tenant,
    backup,
    (open) =>
      withArchiveInRequest(
        tenant,
        other,
        (against) => diffBackups({ backup, open }, { backup: other, open: against }, options),
        deps,
      ),
    deps,
  );
};

const withLive = async (call: DiffRequest, backup: BackupRecord, options: DiffOptions, deps: BackupDeps): Promise<DiffPage> => {
  const { tenant } = call;
  const project = await readProject(tenant, backup.projectId);
  const signal = AbortSignal.timeout(sourceRequestTimeoutMs);
  const { maxReads } = project.settings;
  return withSourceInRequest(call, project, deps, (source) =>
    withArchiveInRequest(
      tenant,
      backup,
      (open) => diffLive({ backup, open }, source, { ...options, signal, maxReads }).catch(tooLate),
      deps,
    ),
  );
};

/** Without point-in-time recovery a database is remembered for an hour. */
const tooLate = (error: unknown): never => {
  if (error instanceof SourceError && error.code === 'SNAPSHOT_EXPIRED')
    throw invalid('cursor', 'is too old: the source no longer remembers the moment that was compared; begin again without it');
  throw error;
};
