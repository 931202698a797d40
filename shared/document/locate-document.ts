/** Finds a document in the live database, in backups and in captured changes, within one API request. */
import { auditNote } from '../audit/index.ts';
import type { Role } from '../contract/access.ts';
import { ApiError } from '../contract/errors.ts';
import { loadFilter } from '../erasure/index.ts';
import type { ErasureFilter } from '../firestore/index.ts';
import { microsOf, momentOf, readPitr, shownMoment } from '../pitr/index.ts';
import { after, type Change } from '../platform/index.ts';
import { documentsRootOf, type ProjectRecord } from '../project/index.ts';
import { type BackupDeps, backupDeps, documentEntry, type RequestCaller, requestArchiveDeps } from '../stored-backup/index.ts';
import { documentBytesMax, type Located, withinBytes } from './document-states.ts';
import { examineBackups } from './examine-backups.ts';
import { findPathsById } from './find-paths-by-id.ts';
import { type DocumentVersions, findVersions } from './find-versions.ts';
import { parseDocumentAddress } from './parse-document-address.ts';
import { readLive } from './read-live.ts';
import { resolveProject } from './resolve-project.ts';
import { summarize } from './summarize.ts';

export interface LocateRequest extends RequestCaller {
  /** Undefined for a service account, which is restricted by its scopes. */
  readonly role: Role | undefined;
  readonly query: { readonly projectId?: string | undefined; readonly path: string };
  readonly page: { readonly limit: number; readonly after: string | undefined };
}

/** The function times out after 20 s. */
const workSeconds = 12;
/** Of these: the paths of a bare id are looked for first. */
const idSeconds = 5;

export const locateDocument = async (
  request: LocateRequest,
  { deps = { ...backupDeps, ...requestArchiveDeps } }: { readonly deps?: BackupDeps | undefined } = {},
): Promise<{ readonly data: Located; readonly next: string | undefined; readonly change: Change }> => {
  const { tenant, query } = request;
  const address = parseDocumentAddress(query.path);
  const project = await resolveProject(tenant, address, query.projectId);
  const started = deps.clock.now();
  const until = after(started, workSeconds);
  const { paths, notSearched } = address.isBareId
    ? await findPathsById(request, { project, id: address.path, until: after(started, idSeconds), deps })
    : { paths: [address.path], notSearched: [] };
  const audit = [
    auditNote(tenant, { type: 'project', id: project.id, details: { path: paths.length === 1 ? paths[0] : address.path } }),
  ];
  const [path] = paths;
  const found =
    path === undefined || paths.length > 1
      ? { data: { ...nowhere(project), candidates: [...paths], notSearched: [...notSearched] }, next: undefined }
      : await locatePath(request, { project, path, until, deps });
  return { ...found, change: { writes: [], audit } };
};

const nowhere = ({ id, name }: ProjectRecord): Located => ({
  projectId: id,
  projectName: name,
  path: null,
  candidates: [],
  live: null,
  backups: [],
  examined: 0,
  moments: null,
  notSearched: [],
  summary: { found: false, lastSeen: null, lastChangedAt: null, vanishedBetween: null },
  recommended: null,
});

interface ProjectContext {
  readonly project: ProjectRecord;
  readonly deps: BackupDeps;
}

const locatePath = async (
  request: LocateRequest,
  context: ProjectContext & { readonly path: string; readonly until: Date },
): Promise<{ readonly data: Located; readonly next: string | undefined }> => {
  const { tenant, now } = request;
  const { project, path, until } = context;
  const erasures = await loadFilter(
    tenant,
    { projectId: project.id, archive: { project: project.id } },
    documentsRootOf(project),
  );
  const [live, examination, captured] = await Promise.all([
    readLive(request, { ...context, erasures }),
    examineBackups(tenant, { projectId: project.id, path, page: request.page, now, until, deps: context.deps }),
    readCaptured(request, { ...context, erasures }),
  ]);
  const { backups, examined, next } = examination;
  const { versions = [], searchedFrom = null } = captured?.found ?? {};
  const summary = summarize({
    now: now.getTime() * 1_000,
    live,
    backups: backups.map((backup) => ({ ...backup, readAt: microsOf(backup.readTime ?? backup.createdAt) })),
    versions,
    searchedFrom: searchedFrom === null ? undefined : microsOf(searchedFrom),
  });
  const { found, lastSeen, lastChangedAt, vanished, recommended } = summary;
  const data: Located = {
    ...nowhere(project),
    path,
    live,
    backups,
    examined,
    moments: captured ? momentsOf(captured, documentsRootOf(project).length) : null,
    summary: {
      found,
      lastSeen: lastSeen === undefined ? null : shownMoment(lastSeen),
      lastChangedAt: lastChangedAt === undefined ? null : momentOf(lastChangedAt),
      vanishedBetween: vanished ? { from: shownMoment(vanished.from), to: shownMoment(vanished.to) } : null,
    },
    recommended: recommended
      ? {
          backupId: recommended.backupId ?? null,
          pointInTime: recommended.moment === undefined ? null : shownMoment(recommended.moment),
          contentHash: recommended.contentHash,
        }
      : null,
  };
  return { data: withinBytes(data), next };
};

interface Captured {
  readonly found: DocumentVersions | undefined;
  readonly message: string | null;
}

/** Undefined if changes of the project are not captured. */
const readCaptured = async (
  { tenant, now }: LocateRequest,
  context: ProjectContext & { readonly path: string; readonly erasures: ErasureFilter | undefined; readonly until: Date },
): Promise<Captured | undefined> => {
  const pitr = await readPitr(tenant, context.project.id);
  if (!pitr || pitr.bases.length === 0) return undefined;
  const { deps, path, erasures, until } = context;
  try {
    const found = await findVersions(tenant, { pitr, path, erasures, now, until, clock: deps.clock, deps });
    return { found, message: null };
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return { found: undefined, message: error.message };
  }
};

const momentsOf = ({ found, message }: Captured, rootLength: number): NonNullable<Located['moments']> => ({
  windows: found?.windows ?? [],
  changes: (found?.versions ?? []).map(({ at, isDeleted, restorableAt, contentHash, encoded }) => ({
    at: momentOf(at),
    change: isDeleted ? 'deleted' : 'written',
    restorableAt: restorableAt === null ? null : shownMoment(restorableAt),
    contentHash,
    document: encoded ? documentEntry(encoded, rootLength, documentBytesMax) : null,
  })),
  searchedFrom: found?.searchedFrom ?? null,
  complete: found?.isComplete ?? false,
  message,
});
