/** Walks over the documents of the tested backup beside a live database: the target, or the source at the time of the backup. */

import { asTargetError, type FirestoreDatabase, probeSource, referenceRewriter, SourceError } from '../../firestore/index.ts';
import { after, get } from '../../platform/index.ts';
import { projectKey, readProject } from '../../project/index.ts';
import type { BackupRecord } from '../../stored-backup/index.ts';
import { type LiveSide, type WalkOptions, walkDocuments } from '../compare/walk-documents.ts';
import type { WalkState } from '../model/record.ts';
import type { DifferenceList, RunContext } from './run-writes.ts';

export const ignore = (): void => undefined;
const probeMs = 60_000;

type Options = Omit<WalkOptions, 'report' | 'live'>;

export const compareWithTarget = async (
  { tenant, run, deps }: RunContext,
  {
    options,
    before,
    differences,
  }: { readonly options: Options; readonly before: WalkState; readonly differences: DifferenceList },
): Promise<WalkState> => {
  const database = deps.openSource(tenant, await readProject(tenant, run.target?.projectId ?? ''));
  try {
    const { readTime } = await probe(database);
    const rewrite = referenceRewriter(options.archive.manifest.source, database.database);
    const live: LiveSide = { database, readTime, look: 'lookup', rewrite };
    const report: WalkOptions['report'] = (path, kind, message) => differences.add({ path, kind, against: 'target', message });
    return await walkDocuments({ ...options, live, report }, before, ignore);
  } finally {
    database.close();
  }
};

const probe = (database: FirestoreDatabase) =>
  probeSource(database, AbortSignal.timeout(probeMs)).catch((error: unknown) => {
    throw asTargetError(error);
  });

/** If the source cannot be read at that time, the walk goes on without it, and says why. */
export const compareWithSource = async (
  { tenant, run, deps }: RunContext,
  {
    options,
    before,
    backup,
    differences,
  }: {
    readonly options: Options;
    readonly before: WalkState;
    readonly backup: BackupRecord;
    readonly differences: DifferenceList;
  },
): Promise<WalkState> => {
  const project = await get(projectKey.project(tenant, run.projectId));
  const { readTime } = options.archive.manifest;
  const goOn = (stop: Pick<WalkState, 'stopped' | 'stoppedBy'>, state: WalkState): Promise<WalkState> =>
    walkDocuments({ ...options, report: ignore }, { ...state, ...stop }, ignore);
  if (!project) return goOn({ stopped: 'The project is no longer connected' }, before);
  const database = deps.openSource(tenant, project);
  // A backup of single documents, or one that may lack collections, does not say what did not exist.
  const look = options.wants || backup.isPartial || backup.mayLackCollections ? 'lookup' : 'scan';
  let reached = before;
  try {
    const report: WalkOptions['report'] = (path, kind, message) => differences.add({ path, kind, against: 'source', message });
    const live: LiveSide = { database, readTime, look };
    return await walkDocuments({ ...options, live, report }, before, (state) => {
      reached = state;
    });
  } catch (error) {
    if (!(error instanceof SourceError) || error.isTransient || error.code === 'CANCELLED') throw error;
    return await goOn(stopOf(error, readTime, deps.clock.now()), reached);
  } finally {
    database.close();
  }
};

/** Firestore keeps no state longer than this. */
const historySeconds = 7 * 24 * 3_600;

/** History that is over is no fault. A source that denies access while its history may reach is one: the comparison was due. */
const stopOf = ({ code, message }: SourceError, readTime: string, now: Date): Pick<WalkState, 'stopped' | 'stoppedBy'> => {
  const kept = 'Firestore keeps one hour, or seven days with point-in-time recovery';
  if (code === 'SNAPSHOT_EXPIRED') return { stopped: `The source no longer keeps its state of ${readTime}: ${kept}` };
  const stopped = `The source could not be read (${code}): ${message}`;
  return now > after(new Date(readTime), historySeconds) ? { stopped } : { stopped, stoppedBy: code };
};
