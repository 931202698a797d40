import { useQuery } from '@tanstack/react-query';
import type { DataOf, ElementOf, InputOf } from '../../../../shared/client/index.ts';
import { keyOf, useApi, useChange, useList, useRead } from '../api/use-api.ts';
import { runningEveryMs } from './backups.ts';
import { isTimelineOpen } from './job-words.ts';

export type RestoreEntry = ElementOf<'GET /backups/restore'>;
export type Restore = DataOf<'GET /backups/restore/{restoreJobId}'>;
export type RestoreBody = NonNullable<InputOf<'POST /backups/restore'>['body']>;
export type MergeMode = Restore['mergeMode'];
type Filters = NonNullable<InputOf<'GET /backups/restore'>['query']>;
type Started = DataOf<'POST /backups/restore'>;
/** The plan of a restore that was small enough to be planned within the request. */
type QuickPlan = Exclude<Started, Restore>;

export const isRestoreActive = ({ status }: Pick<Restore, 'status'>): boolean => status === 'pending' || status === 'running';

export const useRestores = (filters: Filters = {}) =>
  useList(
    'GET /backups/restore',
    { query: filters },
    { pollWhile: (restores) => restores.some(({ jobStatus }) => isRestoreActive({ status: jobStatus })) },
  );

/** Those that run, looked for again and again: one may begin while the page is open. */
export const useRunningRestores = (projectId: string) =>
  useList('GET /backups/restore', { query: { projectId, status: 'running' } }, { everyMs: runningEveryMs });

export const useRestore = (restoreJobId: string, enabled = true) =>
  useRead('GET /backups/restore/{restoreJobId}', { params: { restoreJobId } }, { pollWhile: isRestoreActive, enabled });

/** What has happened to a restore; read again as long as it runs. */
export const useRestoreTimeline = (restore: Restore) =>
  useRead(
    'GET /backups/restore/{restoreJobId}/timeline',
    { params: { restoreJobId: restore.restoreJobId } },
    { pollWhile: (timeline) => isTimelineOpen(timeline, isRestoreActive(restore)) },
  );

/** What a restore or an undo would do, however it was planned. */
export interface Plan extends Pick<QuickPlan, 'create' | 'overwrite' | 'skip' | 'delete' | 'unchanged'> {
  /** The first paths that are deleted. */
  readonly deletions: readonly string[];
  /** Binds the restore to the plan: the service deletes exactly what the plan has, or nothing. */
  readonly deleteDigest: string;
  /** The first changes; undefined if a job has planned it. */
  readonly changes: QuickPlan['changes'] | undefined;
  readonly missing: Pick<
    QuickPlan,
    'notFound' | 'notFoundCount' | 'unknownCollections' | 'unknownCollectionsCount' | 'documentsErased'
  >;
  readonly partial: QuickPlan['partial'];
  readonly diverged: QuickPlan['diverged'];
  readonly pointInTime: string | null;
  readonly authUsers: QuickPlan['authUsers'];
  /** A job has planned it, which does not count the users that it would write. */
  readonly hasUncountedUsers: boolean;
  /** Documents of the backup that an erasure hides: neither written nor deleted. */
  readonly documentsErased: number;
  /** Of a masked copy. */
  readonly transform: QuickPlan['transform'];
  readonly ruleMatches: QuickPlan['ruleMatches'];
  readonly transformPreview: QuickPlan['transformPreview'];
  /** Reads billed for the plan. */
  readonly reads: number;
}

const planOf = (planned: QuickPlan | Restore): Plan | undefined => {
  const isJob = 'restoreJobId' in planned;
  const counts = isJob ? planned.plan : planned;
  if (!counts || counts.deleteDigest === undefined) return undefined;
  return {
    ...counts,
    deletions: counts.deletions ?? [],
    deleteDigest: counts.deleteDigest,
    changes: isJob ? undefined : planned.changes,
    missing: planned,
    partial: planned.partial,
    diverged: planned.diverged,
    pointInTime: planned.pointInTime,
    authUsers: isJob ? undefined : planned.authUsers,
    hasUncountedUsers: isJob && planned.includeAuthUsers,
    documentsErased: counts.documentsErased ?? 0,
    transform: planned.transform,
    ruleMatches: planned.ruleMatches,
    transformPreview: planned.transformPreview,
    reads: planned.cost.reads,
  };
};

export interface Planning {
  readonly plan: Plan | undefined;
  /** The job that plans; undefined if the plan is made within the request. */
  readonly job: Restore | undefined;
  readonly error: unknown;
  readonly isPending: boolean;
  readonly plannedAt: number;
  readonly replan: () => void;
}

const usePlanning = (key: readonly unknown[], call: () => Promise<Started>, enabled: boolean): Planning => {
  const { organizationId } = useApi();
  const { data, error, refetch, isFetching, dataUpdatedAt } = useQuery({
    queryKey: keyOf(organizationId, 'plan', key),
    queryFn: call,
    enabled,
    // Only the user repeats a plan, because its reads are billed. Reopening the page makes a new plan.
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
  });
  const started = data && 'restoreJobId' in data ? data.restoreJobId : undefined;
  const watched = useRestore(started ?? '', started !== undefined);
  const job = started === undefined ? undefined : watched.data;
  const planned = job?.status === 'completed' ? job : started === undefined ? (data as QuickPlan | undefined) : undefined;
  const hasEnded = job !== undefined && !isRestoreActive(job);
  const failure =
    hasEnded && job.status !== 'completed'
      ? new Error(job.error?.message ?? 'The plan was cancelled.', { cause: job.error })
      : undefined;
  const problem = error ?? watched.error ?? failure;
  // Only the response that started a job shows documents.
  const plan = isFetching || problem || !planned ? undefined : planOf({ ...planned, transformPreview: data?.transformPreview });
  return { plan, job, error: problem, isPending: !plan && !problem, plannedAt: dataUpdatedAt, replan: () => void refetch() };
};

export const useRestorePlan = (body: RestoreBody | undefined): Planning => {
  const { client } = useApi();
  const call = () =>
    client.request('POST /backups/restore', { body: { ...body, options: { ...body?.options, dryRun: true } } as RestoreBody });
  return usePlanning(['restore', body], call, body !== undefined);
};

/** Plans the undo of a restore; `opened` makes a new plan each time the person asks for one. */
export const useUndoPlan = (restoreJobId: string, opened: number): Planning => {
  const { client } = useApi();
  const call = () =>
    client.request('POST /backups/restore/{restoreJobId}/undo', { params: { restoreJobId }, body: { dryRun: true } });
  return usePlanning(['undo', restoreJobId, opened], call, opened > 0);
};

const outOfDate = ['/backups', '/overview', '/projects'] as const;

/** Starts exactly the planned restore: it deletes what the plan has, or fails before it writes. */
export const useStartRestore = () =>
  useChange({
    call: (client, { body, plan }: { readonly body: RestoreBody; readonly plan: Plan }) =>
      client.request('POST /backups/restore', {
        body: { ...body, options: { ...body.options, deleteDigest: plan.deleteDigest } },
      }) as Promise<Restore>,
    invalidates: outOfDate,
    toastsError: false,
  });

export const useUndoRestore = (restoreJobId: string) =>
  useChange({
    call: (client, { deleteDigest }: Plan) =>
      client.request('POST /backups/restore/{restoreJobId}/undo', { params: { restoreJobId }, body: { deleteDigest } }),
    invalidates: outOfDate,
    toastsError: false,
  });

export const useCancelRestore = (restoreJobId: string) =>
  useChange({
    call: (client) => client.request('POST /backups/restore/{restoreJobId}/cancel', { params: { restoreJobId } }),
    done: 'The restore is cancelled',
    invalidates: outOfDate,
  });

export const useResumeRestore = (restoreJobId: string) =>
  useChange({
    call: (client) => client.request('POST /backups/restore/{restoreJobId}/resume', { params: { restoreJobId } }),
    done: 'The restore has been resumed',
    tone: 'info',
    invalidates: outOfDate,
  });
