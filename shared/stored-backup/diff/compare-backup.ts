/** Compares a backup within an API request. */
import { auditNote } from '../../audit/index.ts';
import { type Role, roleAtLeast } from '../../contract/access.ts';
import { invalid } from '../../contract/errors.ts';
import { SourceError } from '../../firestore/index.ts';
import { roleRequired } from '../../organization/index.ts';
import { after, type Change } from '../../platform/index.ts';
import { readProject } from '../../project/index.ts';
import { type BackupDeps, backupDeps } from '../backup-deps.ts';
import { readBackup } from '../model/read-backup.ts';
import type { BackupRecord } from '../model/record.ts';
import { assertCompleted, requestArchiveDeps, withArchiveInRequest } from '../read/with-archive-in-request.ts';
import { type RequestCaller, sourceRequestTimeoutMs, withSourceInRequest } from '../read/with-source-in-request.ts';
import { type DiffOptions, type DiffPage, diffBackups, diffLive } from './diff-archives.ts';
import { diffDocumentOfBackups, diffDocumentWithLive } from './diff-document.ts';

export interface DiffRequest extends RequestCaller {
  /** Undefined for a service account, which is restricted by its scopes. */
  readonly role: Role | undefined;
  readonly page: { readonly limit: number; readonly after: string | undefined };
  /** Compares only this document, and returns its fields. */
  readonly path?: string | undefined;
}

/** The function times out after 20 s; opening the backup and the response take some of them. */
const workSeconds = 13;

/** Each comparison is audited, because it shows which documents exist. */
export const compareBackup = async (
  request: DiffRequest,
  {
    backup,
    against,
    deps = { ...backupDeps, ...requestArchiveDeps },
  }: { readonly backup: BackupRecord; readonly against: string; readonly deps?: BackupDeps | undefined },
): Promise<DiffPage & { change: Change }> => {
  const { tenant, page, path } = request;
  if (path !== undefined && page.after !== undefined) throw invalid('cursor', 'must be absent for one document');
  if (against === 'live') assertMember(request);
  assertCompleted(backup);
  const options = { ...page, deadline: after(deps.clock.now(), workSeconds), clock: deps.clock };
  const compared =
    against === 'live'
      ? await withLive(request, { backup, options, deps })
      : await withBackup(request, { backup, against, options, deps });
  const { id, projectId } = backup;
  const audit = [auditNote(tenant, { type: 'backup', id, details: { projectId, against, ...(path !== undefined && { path }) } })];
  return { ...compared, change: { writes: [], audit } };
};

/** Reading the live database is billed, so a comparison with it requires the role member. */
const assertMember = ({ role }: DiffRequest): void => {
  if (role !== undefined && !roleAtLeast(role, 'member'))
    throw roleRequired('member', role, 'Comparing with the live database requires role member');
};

const withBackup = async (
  { tenant, path }: DiffRequest,
  {
    backup,
    against,
    options,
    deps,
  }: { readonly backup: BackupRecord; readonly against: string; readonly options: DiffOptions; readonly deps: BackupDeps },
): Promise<DiffPage> => {
  const other = await readBackup(tenant, against);
  if (other.projectId !== backup.projectId) throw invalid('against', 'must be a backup of the same project');
  assertCompleted(other);
  return withArchiveInRequest(tenant, {
    backup,
    work: (open) =>
      withArchiveInRequest(tenant, {
        backup: other,
        work: (openOther) => {
          const sides = [
            { backup, open },
            { backup: other, open: openOther },
          ] as const;
          return path === undefined ? diffBackups(...sides, options) : diffDocumentOfBackups(path, ...sides);
        },
        deps,
      }),
    deps,
  });
};

const withLive = async (
  request: DiffRequest,
  { backup, options, deps }: { readonly backup: BackupRecord; readonly options: DiffOptions; readonly deps: BackupDeps },
): Promise<DiffPage> => {
  const { tenant, path } = request;
  const project = await readProject(tenant, backup.projectId);
  const signal = AbortSignal.timeout(sourceRequestTimeoutMs);
  const { maxReads } = project.settings;
  return withSourceInRequest(request, {
    project,
    deps,
    work: (source) =>
      withArchiveInRequest(tenant, {
        backup,
        work: (open) =>
          path === undefined
            ? diffLive({ backup, open }, source, { ...options, signal, maxReads }).catch(rejectExpiredCursor)
            : diffDocumentWithLive(path, { current: { backup, open }, source, signal }),
        deps,
      }),
  });
};

/** Without point-in-time recovery a database keeps its past for an hour. */
const rejectExpiredCursor = (error: unknown): never => {
  if (error instanceof SourceError && error.code === 'SNAPSHOT_EXPIRED')
    throw invalid('cursor', 'has expired: the source no longer keeps the compared read time. Start again without a cursor');
  throw error;
};
