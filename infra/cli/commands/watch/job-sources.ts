/** Where `bms watch` finds jobs: backups, restores, verifications and runs of restore tests. */
import type { Client, DataOf, ElementOf } from '../../../../shared/client/index.ts';
import { collectAll } from '../../base/collect-all.ts';

type Backup = ElementOf<'GET /backups'>;
type Restore = DataOf<'GET /backups/restore/{restoreJobId}'>;
type TestRun = DataOf<'GET /restore-tests/runs/{runId}'>;

export interface WatchedJob extends Pick<Backup, 'id' | 'waitingFor' | 'createdAt' | 'startedAt'> {
  readonly kind: 'backup' | 'restore' | 'verification' | 'restore test';
  readonly status: string;
  readonly phase: string;
  readonly percent: number;
  /** Null of a verification, which counts objects. */
  readonly progress: Backup['progress'] | null;
  readonly project: string;
  readonly problem: string | null;
}

export interface JobSource {
  readonly kind: WatchedJob['kind'];
  /** At least so long between two reads. */
  readonly everyMs: number;
  /** Jobs that run now, and those that have begun since the last read, even if they have ended. */
  read(): Promise<readonly WatchedJob[]>;
  /** The state of a job that is no longer listed as running. */
  readOne(id: string): Promise<WatchedJob>;
}

export const isActive = ({ status }: Pick<WatchedJob, 'status'>): boolean => status === 'pending' || status === 'running';

interface Watched {
  readonly client: Client;
  readonly projectId: string | undefined;
  readonly signal: AbortSignal;
}

const jobMs = 2_000;
/** Their reads cost more. */
const rareMs = 10_000;

export const jobSources = (watched: Watched): readonly JobSource[] => [
  backupSource(watched),
  restoreSource(watched),
  verificationSource(watched),
  testRunSource(watched),
];

const active = ['pending', 'running'] as const;

const ofBackup = (backup: Backup): WatchedJob => ({
  ...backup,
  kind: 'backup',
  percent: backup.progress.percent,
  project: backup.projectName ?? backup.projectId,
  problem: backup.error?.message ?? null,
});

const backupSource = ({ client, projectId, signal }: Watched): JobSource => {
  const list = (query: { readonly status?: (typeof active)[number]; readonly from?: string | undefined }) =>
    collectAll(client.list('GET /backups', { query: { projectId, ...query }, signal }));
  const newest = newestOf(async () => (await client.page('GET /backups', { query: { projectId, limit: 1 }, signal })).data);
  return {
    kind: 'backup',
    everyMs: jobMs,
    read: async () => {
      const from = await newest.at();
      const found = await Promise.all([...active.map((status) => list({ status })), list({ from })]);
      return unique(newest.note(found.flat())).map(ofBackup);
    },
    readOne: async (backupId) => ofBackup(await client.request('GET /backups/{backupId}', { params: { backupId }, signal })),
  };
};

const restoreSource = ({ client, projectId, signal }: Watched): JobSource => {
  const list = (query: { readonly status?: (typeof active)[number]; readonly from?: string | undefined }) =>
    collectAll(client.list('GET /backups/restore', { query: { projectId, ...query }, signal }));
  const newest = newestOf(
    async () => (await client.page('GET /backups/restore', { query: { projectId, limit: 1 }, signal })).data,
  );
  const ofRestore = (restore: Restore): WatchedJob => ({
    ...restore,
    kind: 'restore',
    id: restore.restoreJobId,
    percent: restore.progress.percent,
    project: restore.targetProjectName,
    problem: restore.error?.message ?? null,
  });
  const readOne = async (restoreJobId: string): Promise<WatchedJob> =>
    ofRestore(await client.request('GET /backups/restore/{restoreJobId}', { params: { restoreJobId }, signal }));
  return {
    kind: 'restore',
    everyMs: jobMs,
    read: async () => {
      const from = await newest.at();
      const found = await Promise.all([...active.map((status) => list({ status })), list({ from })]);
      const ids = new Set(newest.note(found.flat()).map(({ restoreJobId }) => restoreJobId));
      return Promise.all([...ids].map(readOne));
    },
    readOne,
  };
};

/** The time of the newest known record, by the clock of the service. Later records are new. */
const newestOf = <T extends { readonly createdAt: string }>(readNewest: () => Promise<readonly T[]>) => {
  let at: string | undefined;
  let isRead = false;
  return {
    at: async (): Promise<string | undefined> => {
      if (!isRead) at = (await readNewest())[0]?.createdAt;
      isRead = true;
      return at;
    },
    note: (found: readonly T[]): readonly T[] => {
      for (const { createdAt } of found) if (at === undefined || createdAt > at) at = createdAt;
      return found;
    },
  };
};

/** The last of each id: it was read as part of the list that also has jobs that have ended. */
const unique = <T extends { readonly id: string }>(found: readonly T[]): readonly T[] => [
  ...new Map(found.map((one) => [one.id, one])).values(),
];

/** Those of the newest hundred backups: the service has no list of verifications. */
const verificationSource = ({ client, projectId, signal }: Watched): JobSource => {
  let seen: ReadonlyMap<string, string | undefined> | undefined;
  const ofVerification = (backup: Backup): WatchedJob => {
    const { verification } = backup;
    const { status = 'ended', checkedAt = backup.createdAt, objects = 0, percent = 100, findings = [] } = verification ?? {};
    return {
      kind: 'verification',
      id: backup.id,
      status,
      phase: status === 'running' ? `verifying, ${objects} objects` : status,
      percent,
      progress: null,
      waitingFor: null,
      createdAt: checkedAt,
      startedAt: checkedAt,
      project: backup.projectName ?? backup.projectId,
      problem: status === 'failed' ? (findings[0]?.message ?? null) : null,
    };
  };
  return {
    kind: 'verification',
    everyMs: rareMs,
    read: async () => {
      const query = { projectId, status: 'completed', limit: 100 } as const;
      const { data } = await client.page('GET /backups', { query, signal });
      const before = seen;
      seen = new Map(data.map(({ id, verification }) => [id, verification?.checkedAt]));
      const isNew = ({ id, verification }: Backup): boolean =>
        verification?.status === 'running' || (before?.has(id) === true && before.get(id) !== verification?.checkedAt);
      return data.filter(isNew).map(ofVerification);
    },
    readOne: async (backupId) =>
      ofVerification(await client.request('GET /backups/{backupId}', { params: { backupId }, signal })),
  };
};

/** Those of a day before the first read, and later ones. */
const testRunSource = ({ client, projectId, signal }: Watched): JobSource => {
  let from = new Date(Date.now() - dayMs).toISOString();
  const ofRun = (run: TestRun): WatchedJob => ({
    ...run,
    kind: 'restore test',
    percent: run.progress.percent,
    waitingFor: null,
    project: run.projectName,
    problem: run.error?.message ?? null,
  });
  const runsOf = (restoreTestId: string): Promise<readonly TestRun[]> =>
    collectAll(
      client.list('GET /restore-tests/{restoreTestId}/runs', {
        params: { restoreTestId },
        query: { projectId, from, limit: 100 },
        signal,
      }),
    );
  return {
    kind: 'restore test',
    everyMs: rareMs,
    read: async () => {
      const plans = await collectAll(client.list('GET /restore-tests', { query: { limit: 100 }, signal }));
      const isMeant = (plan: (typeof plans)[number]) =>
        plan.projectId === null || [undefined, plan.projectId].includes(projectId);
      const runs = (await Promise.all(plans.filter(isMeant).map(({ id }) => runsOf(id)))).flat();
      // The next read begins with the oldest that still runs.
      const [newest = from] = runs
        .map(({ createdAt }) => createdAt)
        .sort()
        .reverse();
      from = runs.filter(isActive).reduce((oldest, { createdAt }) => (createdAt < oldest ? createdAt : oldest), newest);
      return runs.map(ofRun);
    },
    readOne: async (runId) => ofRun(await client.request('GET /restore-tests/runs/{runId}', { params: { runId }, signal })),
  };
};

const dayMs = 86_400_000;
