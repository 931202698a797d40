/** On which side the rows of a project are that moves from one organization to another. */
import { ApiError } from '../contract/errors.ts';
import { getAll, type Tenant, type Write } from '../platform/index.ts';
import { type MoveRecord, projectKey } from './record.ts';

/** What a row of a project carries while the project moves: the move's id, on the side it comes to and on the one it goes from. */
export interface Moving {
  readonly projectId: string;
  readonly arriving?: string;
  readonly leaving?: string;
}

/** Those that are of this side: what leaves until its project has moved, what arrives from then on. Others cost nothing. */
export const filterVisible = async <R extends Moving>(tenant: Tenant, rows: readonly R[]): Promise<readonly R[]> => {
  const projectIds = [...new Set(rows.filter(isMoving).map(({ projectId }) => projectId))];
  if (projectIds.length === 0) return rows;
  const found = await getAll(projectIds.map((id) => projectKey.move(tenant, id)));
  const moves = new Map(projectIds.map((id, n) => [id, found[n]]));
  return rows.filter((row) => isHere(row, moves.get(row.projectId)));
};

const isMoving = ({ arriving, leaving }: Moving): boolean => arriving !== undefined || leaving !== undefined;

const isHere = ({ arriving, leaving }: Moving, move: MoveRecord | undefined): boolean => {
  if (arriving !== undefined) return move?.id === arriving && move.isHere;
  return leaving === undefined || move?.id !== leaving || move.isHere;
};

/** What leaves is copied as it is: it cannot be changed any more. */
export const assertNotLeaving = ({ leaving }: Pick<Moving, 'leaving'>): void => {
  if (leaving !== undefined) throw projectMoving(leaving);
};

/** Holds only while the project is not about to leave: what comes to it then would be left behind. */
export const whileNotMoving = (tenant: Tenant, projectId: string): Write => ({
  check: projectKey.job(tenant, projectId),
  condition: 'attribute_not_exists(pk) OR #kind <> :move',
  names: { '#kind': 'kind' },
  values: { ':move': 'move' },
  onConditionFailed: () => projectMoving(),
});

export const projectMoving = (jobId?: string): ApiError =>
  new ApiError('JOB_IN_PROGRESS', 'The project is being moved to another organization; try again shortly', {
    ...(jobId !== undefined && { jobId }),
    kind: 'move',
  });
