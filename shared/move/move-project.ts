/**
 * Moves a project to another organization: copies its backups, hidden, then one transaction switches the project, then the rest
 * follows. After a crash at any point the project is completely in one organization, and the same call continues.
 */
import { roleAtLeast } from '../contract/access.ts';
import { ApiError } from '../contract/errors.ts';
import { isId } from '../contract/ids.ts';
import { enqueue } from '../event/index.ts';
import { enterOrganization, roleRequired, whileActive } from '../organization/index.ts';
import { refuseIfCaptured } from '../pitr/index.ts';
import { after, bestEffort, type Clock, clock, commit, create, getAll, iso, newUlid, StaleReadError } from '../platform/index.ts';
import {
  jobLock,
  type ProjectRecord,
  projectKey,
  projectMoving,
  projectNotFound,
  readProject,
  whileConnected,
  whileUntested,
} from '../project/index.ts';
import { checkMovable } from './check-movable.ts';
import { copyBackupRecords } from './copy-backup-records.ts';
import { copyErasures } from './copy-erasures.ts';
import { finishMove, revertMove } from './finish-move.ts';
import { type MoveContext, moveRecords } from './move-context.ts';
import { copyHistories } from './move-histories.ts';
import { type MoveCaller, switchOrganization } from './switch-organization.ts';

/** Of the function's 20 s: enough for a few thousand backups. */
const callSeconds = 12;

/**
 * Returns the project in the target organization. Requires role admin in both. The credentials of its connection and its destinations
 * move only if the caller is the owner of both organizations.
 */
export const moveProject = async (
  caller: MoveCaller,
  {
    projectId,
    organizationId,
    time = clock,
  }: { readonly projectId: string; readonly organizationId: string; readonly time?: Clock | undefined },
): Promise<ProjectRecord> => {
  assertAdmin(caller);
  const { tenant: from, actor } = caller;
  const now = time.now();
  const limit = { until: after(now, callSeconds), clock: time };
  if (!isId('project', projectId)) throw projectNotFound();
  const [project, job, started, moved] = await getAll([
    projectKey.project(from, projectId),
    projectKey.job(from, projectId),
    projectKey.move(from, projectId),
    projectKey.moved(from, projectId),
  ]);
  if (!project && started?.to !== organizationId && moved?.to !== organizationId) throw projectNotFound();
  const target = await enterOrganization(actor.id, organizationId, 'admin');
  const { tenant: to } = target;
  if (!project) {
    // The project has switched already; only the rest may remain.
    if (started) await finishMove({ id: started.id, projectId, from, to }, limit);
    return readProject(to, projectId);
  }
  if (organizationId === from.organizationId) return project;
  await refuseIfCaptured(from, projectId, now);
  await checkMovable(from, projectId);
  const isOurs = started && job?.jobId === started.id && started.to === organizationId && !started.isEnding;
  const move: MoveContext = { id: isOurs ? started.id : `mov_${newUlid(now)}`, projectId, from, to };
  if (!isOurs) await begin(move, project, now);
  try {
    // Point-in-time recovery may have been enabled since; with the lock held it cannot be.
    await refuseIfCaptured(from, projectId, now);
    if (!(await copyBackupRecords(move, limit))) throw unfinished();
    await copyErasures(move);
    await copyHistories(move);
    const arrived = await switchOrganization(move, { caller, target, project, tally: await checkMovable(from, projectId), now });
    await finishMove(move, limit);
    return arrived;
  } catch (error) {
    // Repeating the call does not help against a refusal, but may after any other failure.
    if (isRefusal(error)) await bestEffort('revert a move', revertMove(move, limit));
    throw error;
  }
};

const assertAdmin = ({ actor, role }: MoveCaller): void => {
  if (actor.type !== 'user' || !role) throw new ApiError('FORBIDDEN', 'An API key cannot move a project');
  if (!roleAtLeast(role, 'admin')) throw roleRequired('admin', role, 'Requires role admin in both organizations');
};

/** Takes the project's lock. The task finishes or reverts the move if this call does not. */
const begin = async (move: MoveContext, project: ProjectRecord, now: Date): Promise<void> => {
  const { id: moveId, projectId, from, to } = move;
  const [source, target] = moveRecords(move, iso(now));
  await commit([
    jobLock(from, { projectId, job: { jobId: moveId, kind: 'move' }, now }),
    whileConnected(from, projectId),
    whileUntested(from, project),
    whileActive(to),
    // Exists while an earlier move of the same project is being finished.
    create(source, () => projectMoving()),
    create(target, () => projectMoving()),
    enqueue(from, { kind: 'finish-move', projectId, moveId }, now),
  ]);
};

const isRefusal = (error: unknown): boolean =>
  error instanceof ApiError && error.status < 500 && !(error instanceof StaleReadError);

const unfinished = (): ApiError =>
  new ApiError('SERVICE_UNAVAILABLE', 'The move is not finished yet. Repeat the call to continue', undefined, {
    headers: { 'retry-after': '1' },
  });
