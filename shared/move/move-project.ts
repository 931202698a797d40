/**
 * Moving a project to another organization: its backups are copied where nobody sees them, one transaction turns both sides
 * over, then the rest is put in order. Whatever dies on the way, the project is on one side whole; the same call goes on.
 */
import { roleAtLeast } from '../contract/access.ts';
import { ApiError } from '../contract/errors.ts';
import { isId } from '../contract/ids.ts';
import { enqueue } from '../event/index.ts';
import { enterOrganization, whileActive } from '../organization/index.ts';
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
} from '../project/index.ts';
import { checkMovable } from './check-movable.ts';
import { copyBackups } from './copy-backups.ts';
import { finishMove, revertMove } from './finish-move.ts';
import { type MoveContext, moveRecords } from './move-context.ts';
import { type MoveCaller, switchOrganization } from './switch-organization.ts';

/** Of the function's 20 s; some thousand backups. */
const callSeconds = 12;

/** The project as it is in the other organization. Needs the role admin in both. */
export const moveProject = async (
  mover: MoveCaller,
  projectId: string,
  organizationId: string,
  time: Clock = clock,
): Promise<ProjectRecord> => {
  refuseUnlessAdmin(mover);
  const { tenant: from, actor } = mover;
  const now = time.now();
  const limit = { until: after(now, callSeconds), clock: time };
  if (!isId('project', projectId)) throw projectNotFound();
  const [project, job, begun, moved] = await getAll([
    projectKey.project(from, projectId),
    projectKey.job(from, projectId),
    projectKey.move(from, projectId),
    projectKey.moved(from, projectId),
  ]);
  if (!project && begun?.to !== organizationId && moved?.to !== organizationId) throw projectNotFound();
  const target = await enterOrganization(actor.id, organizationId, 'admin');
  const { tenant: to } = target;
  if (!project) {
    // It has crossed, and what this call would do is done, or nearly.
    if (begun) await finishMove({ id: begun.id, projectId, from, to }, limit);
    return readProject(to, projectId);
  }
  if (organizationId === from.organizationId) return project;
  await refuseIfCaptured(from, projectId, now);
  await checkMovable(from, projectId);
  const isOurs = begun && job?.jobId === begun.id && begun.to === organizationId && !begun.isEnding;
  const route: MoveContext = { id: isOurs ? begun.id : `mov_${newUlid(now)}`, projectId, from, to };
  if (!isOurs) await begin(route, now);
  try {
    // It may have been enabled since; from here on it cannot be.
    await refuseIfCaptured(from, projectId, now);
    if (!(await copyBackups(route, limit))) throw notYet();
    const arrived = await switchOrganization(route, { mover, target, project, tally: await checkMovable(from, projectId), now });
    await finishMove(route, limit);
    return arrived;
  } catch (error) {
    // A refusal is not got over by repeating the call; whatever else failed may be.
    if (isRefusal(error)) await bestEffort('take a move back', revertMove(route, limit));
    throw error;
  }
};

const refuseUnlessAdmin = ({ actor, role }: MoveCaller): void => {
  if (actor.type !== 'user' || !role) throw new ApiError('FORBIDDEN', 'A project is moved by people; a service account cannot');
  if (roleAtLeast(role, 'admin')) return;
  throw new ApiError('PERMISSION_DENIED', 'This needs the role admin in both organizations', {
    requiredRole: 'admin',
    currentRole: role,
  });
};

/** Takes the project's lock. The task sees to the move's end should this call not. */
const begin = async (route: MoveContext, now: Date): Promise<void> => {
  const { id: moveId, projectId, from, to } = route;
  const [here, there] = moveRecords(route, iso(now));
  await commit([
    jobLock(from, projectId, { jobId: moveId, kind: 'move' }, now),
    whileConnected(from, projectId),
    whileActive(to),
    // An earlier move of the same project is being put in order.
    create(here, () => projectMoving()),
    create(there, () => projectMoving()),
    enqueue(from, { kind: 'settle-move', projectId, moveId }, now),
  ]);
};

const isRefusal = (error: unknown): boolean =>
  error instanceof ApiError && error.status < 500 && !(error instanceof StaleReadError);

const notYet = (): ApiError =>
  new ApiError('SERVICE_UNAVAILABLE', 'There is more to move than one call can; repeat it to go on', undefined, {
    headers: { 'retry-after': '1' },
  });
