/** Which organization sees the records of a project that is being moved. */
import { ApiError } from '../contract/errors.ts';
import { getAll, type Tenant, type Write } from '../platform/index.ts';
import { type MoveRecord, projectKey } from './record.ts';

/** While a project moves, its records name the move: `arriving` in the new organization, `leaving` in the old one. */
export interface Moving {
  readonly projectId: string;
  readonly arriving?: string;
  readonly leaving?: string;
}

/** The visible records: leaving ones until the project has moved, arriving ones from then on. Reads nothing if none is moving. */
export const filterVisible = async <R extends Moving>(tenant: Tenant, records: readonly R[]): Promise<readonly R[]> => {
  const projectIds = [...new Set(records.filter(isMoving).map(({ projectId }) => projectId))];
  if (projectIds.length === 0) return records;
  const found = await getAll(projectIds.map((id) => projectKey.move(tenant, id)));
  const moves = new Map(projectIds.map((id, n) => [id, found[n]]));
  return records.filter((record) => isHere(record, moves.get(record.projectId)));
};

const isMoving = ({ arriving, leaving }: Moving): boolean => arriving !== undefined || leaving !== undefined;

const isHere = ({ arriving, leaving }: Moving, move: MoveRecord | undefined): boolean => {
  if (arriving !== undefined) return move?.id === arriving && move.isHere;
  return leaving === undefined || move?.id !== leaving || move.isHere;
};

/** A leaving record has been copied and must not change. */
export const assertNotLeaving = ({ leaving }: Pick<Moving, 'leaving'>): void => {
  if (leaving !== undefined) throw projectMoving(leaving);
};

/** Condition: the project is not being moved. A record added meanwhile would not be copied. */
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
