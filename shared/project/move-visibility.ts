/** Which organization sees the records of a project that is being moved. */
import { ApiError } from '../contract/errors.ts';
import { absentOr, getAll, not, type Tenant, type Write } from '../platform/index.ts';
import { type MoveRecord, projectKey } from './record.ts';

/** While a project moves, its records name the move: `arriving` in the new organization, `leaving` in the old one. */
export interface Moving {
  readonly projectId: string;
  readonly arriving?: string;
  readonly leaving?: string;
}

export const isInMove = ({ arriving, leaving }: Omit<Moving, 'projectId'>): boolean =>
  arriving !== undefined || leaving !== undefined;

/** Condition on a record: it has not been copied to another organization. A leaving record must not change. */
export const notLeaving = { leaving: undefined };
/** Condition on a record: it neither leaves nor is a copy that has yet to arrive. */
export const notMoving = { ...notLeaving, arriving: undefined };

/** The visible records: leaving ones until the project has moved, arriving ones from then on. Reads nothing if none is moving. */
export const filterVisible = async <R extends Moving>(tenant: Tenant, records: readonly R[]): Promise<readonly R[]> => {
  const projectIds = [...new Set(records.filter(isInMove).map(({ projectId }) => projectId))];
  if (projectIds.length === 0) return records;
  const found = await getAll(projectIds.map((id) => projectKey.move(tenant, id)));
  const moves = new Map(projectIds.map((id, n) => [id, found[n]]));
  return records.filter((record) => isHere(record, moves.get(record.projectId)));
};

const isHere = ({ arriving, leaving }: Moving, move: MoveRecord | undefined): boolean => {
  if (arriving !== undefined) return move?.id === arriving && move.isHere;
  return leaving === undefined || move?.id !== leaving || move.isHere;
};

export const assertNotLeaving = ({ leaving }: Pick<Moving, 'leaving'>): void => {
  if (leaving !== undefined) throw projectMoving(leaving);
};

/** Condition: the project is not being moved. A record added meanwhile would not be copied. */
export const whileNotMoving = (tenant: Tenant, projectId: string): Write => ({
  check: projectKey.job(tenant, projectId),
  ...absentOr({ kind: not('move') }),
  onConditionFailed: () => projectMoving(),
});

export const projectMoving = (jobId?: string): ApiError =>
  new ApiError('JOB_IN_PROGRESS', 'The project is being moved to another organization; try again shortly', {
    ...(jobId !== undefined && { jobId }),
    kind: 'move',
  });
