import { keepPreviousData, useQuery } from '@tanstack/react-query';
import {
  ApiFailure,
  type DataOf,
  type ElementOf,
  type InputOf,
  isFoundDamaged,
  isOwnBackup,
} from '../../../../shared/client/index.ts';
import { keyOf, useApi, useChange, useList, useRead } from '../api/use-api.ts';
import { isTimelineOpen } from './job-words.ts';
import { repeatOf, scheduleToRepeat } from './repeat-of.ts';

export type Backup = ElementOf<'GET /backups'>;
export type BackupFilters = NonNullable<InputOf<'GET /backups'>['query']>;
export type BackupRequest = InputOf<'POST /backups'>['body'];
export type Estimate = Exclude<DataOf<'POST /backups'>, { id: string }>;
export type VerifyDepth = NonNullable<Backup['verification']>['depth'];

/** Whether the backup still changes: it runs, or it is being verified. */
export const isBackupActive = ({ status, verification }: Pick<Backup, 'status' | 'verification'>): boolean =>
  isBackupRunning(status) || verification?.status === 'running';

export const isBackupRunning = (status: Backup['status']): boolean => status === 'pending' || status === 'running';

export const useBackups = (filters: BackupFilters = {}, enabled = true) =>
  useList('GET /backups', { query: filters }, { pollWhile: (backups) => backups.some(isBackupActive), enabled });

/** The newest of each search, read at once; those of the search before meanwhile. */
export const useFoundBackups = (searches: readonly BackupFilters[]) => {
  const { client, organizationId } = useApi();
  return useQuery({
    queryKey: keyOf(organizationId, 'GET /backups', { searches }),
    queryFn: async ({ signal }) => {
      const pages = searches.map((query) => client.page('GET /backups', { query: { ...query, limit: foundMax }, signal }));
      return (await Promise.all(pages)).flatMap(({ data }) => data);
    },
    enabled: searches.length > 0,
    placeholderData: keepPreviousData,
  });
};

const foundMax = 25;

/** Those that run, looked for again and again: one may begin while the page is open. */
/** Of a project, or of all. */
export const useRunningBackups = (projectId?: string) =>
  useList('GET /backups', { query: { projectId, status: 'running' } }, { everyMs: runningEveryMs });

/** An outage is seen within 15 s: 10 s until a job says that it waits, and this. */
export const runningEveryMs = 3_000;

export const useBackup = (backupId: string, enabled = true) =>
  useRead('GET /backups/{backupId}', { params: { backupId } }, { pollWhile: isBackupActive, enabled });

/** What has happened to a backup; read again as long as it runs. */
export const useBackupTimeline = ({ id: backupId, status }: Pick<Backup, 'id' | 'status'>) =>
  useRead(
    'GET /backups/{backupId}/timeline',
    { params: { backupId } },
    { pollWhile: (timeline) => isTimelineOpen(timeline, isBackupRunning(status)) },
  );

/** The last completed backup of the whole project that is not known to be damaged. */
export const useLastGoodBackup = (projectId: string) => {
  const list = useList('GET /backups', { query: { projectId, status: 'completed' } });
  const { items, query } = list;
  return {
    data: items?.find((backup) => isOwnBackup(backup) && !isFoundDamaged(backup)),
    isPending: query.isPending,
  };
};

/** How long an estimate is shown before it is made again; each costs a few reads. */
const estimateStaleMs = 5 * 60_000;

/** What a backup would read and cost; nothing is stored. Undefined while the request is incomplete. */
export const useEstimate = (request: BackupRequest | undefined) => {
  const { client, organizationId } = useApi();
  return useQuery({
    queryKey: keyOf(organizationId, 'estimate', request),
    queryFn: ({ signal }) =>
      client.request('POST /backups', { body: { ...(request as BackupRequest), dryRun: true }, signal }) as Promise<Estimate>,
    enabled: request !== undefined,
    staleTime: estimateStaleMs,
  });
};

export const useStartBackup = () =>
  useChange({
    call: (client, body: BackupRequest) => client.request('POST /backups', { body }) as Promise<Backup>,
    done: 'The backup has started',
    tone: 'info',
    invalidates: ['/backups', '/overview', '/projects'],
    toastsError: false,
  });

/**
 * The same backup again. Only its schedule can give it a retention policy, so that runs again, unless it was deleted: then the backup
 * is made without, and is kept until it is deleted.
 */
export const useRepeatBackup = (backup: Backup) =>
  useChange({
    call: async (client): Promise<Backup> => {
      const scheduleId = scheduleToRepeat(backup);
      if (scheduleId !== undefined)
        try {
          return await client.request('POST /schedules/{scheduleId}/trigger', { params: { scheduleId } });
        } catch (error) {
          if (!(error instanceof ApiFailure && error.code === 'SCHEDULE_NOT_FOUND')) throw error;
        }
      return client.request('POST /backups', { body: repeatOf(backup) }) as Promise<Backup>;
    },
    done: 'The backup has started',
    tone: 'info',
    invalidates: ['/backups', '/overview', '/projects', '/schedules'],
    toastsError: false,
  });

export const useCancelBackup = (backupId: string) =>
  useChange({
    call: (client) => client.request('POST /backups/{backupId}/cancel', { params: { backupId } }),
    done: 'The backup is cancelled',
    invalidates: ['/backups', '/overview'],
  });

export const useVerifyBackup = (backupId: string) =>
  useChange({
    call: (client, depth: VerifyDepth) =>
      client.request('POST /backups/{backupId}/verify', { params: { backupId }, body: { depth } }),
    done: 'The verification has started',
    tone: 'info',
    invalidates: ['/backups', '/overview'],
  });

export const useAcknowledgeBackup = (backupId: string) =>
  useChange({
    call: (client, note: string) =>
      client.request('POST /backups/{backupId}/acknowledge', { params: { backupId }, body: note === '' ? {} : { note } }),
    done: 'The unusual changes are acknowledged',
    invalidates: ['/backups', '/projects', '/overview', '/alerts'],
    toastsError: false,
    // It is refused if more was found than is shown.
    reloadsOnError: true,
  });

export type BulkKind = 'delete' | 'verify';

export interface BulkResult {
  readonly backup: Backup;
  /** Undefined if it worked. */
  readonly error: Error | undefined;
}

interface BulkInput {
  readonly backups: readonly Backup[];
  readonly depth: VerifyDepth;
  readonly onResult: (results: readonly BulkResult[]) => void;
}

/** Deletes or verifies several backups, one after the other, newest first: an incremental one goes before those it depends on. */
export const useBulkChange = (kind: BulkKind) =>
  useChange({
    call: async (client, { backups, depth, onResult }: BulkInput): Promise<readonly BulkResult[]> => {
      const results: BulkResult[] = [];
      for (const backup of backups.toSorted((one, other) => other.createdAt.localeCompare(one.createdAt))) {
        const params = { backupId: backup.id };
        const change =
          kind === 'delete'
            ? client.request('DELETE /backups/{backupId}', { params })
            : client.request('POST /backups/{backupId}/verify', { params, body: { depth } });
        const error = await change.then(
          () => undefined,
          (reason: Error) => reason,
        );
        results.push({ backup, error });
        onResult([...results]);
      }
      return results;
    },
    invalidates: ['/backups', '/overview', '/organizations', '/storage-destinations'],
    toastsError: false,
  });

/** Whether something unusual was found in the backup, and it is not acknowledged. */
export const isUnusual = ({ anomaly }: Pick<Backup, 'anomaly'>): boolean => anomaly?.acknowledgedAt === null;

export const useDeleteBackup = (backupId: string) =>
  useChange({
    call: (client) => client.request('DELETE /backups/{backupId}', { params: { backupId } }),
    done: ({ message }) => message,
    invalidates: ['/backups', '/overview', '/organizations'],
    toastsError: false,
  });
