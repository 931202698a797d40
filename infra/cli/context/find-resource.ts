/** Finds the resource that a user names. */
import { ApiFailure, type Client, type DataOf, isFoundDamaged, isOwnBackup } from '../../../shared/client/index.ts';
import { CliFailure } from '../base/cli-failure.ts';
import { collectAll } from '../base/collect-all.ts';
import { exitCodes } from '../base/exit-codes.ts';
import { matchName } from '../base/match-name.ts';

const isId = (prefix: string, text: string): boolean => new RegExp(`^${prefix}_[0-9A-HJKMNP-TV-Z]{26}$`).test(text);

const named = ({ id, name }: { readonly id: string; readonly name: string }) => ({ id, names: [name] });

export type Project = DataOf<'GET /projects/{projectId}'>;
/** By id, name or the id of the Google Cloud project. */
export const findProject = async (client: Client, wanted: string): Promise<Project> =>
  isId('prj', wanted)
    ? client.request('GET /projects/{projectId}', { params: { projectId: wanted } })
    : matchName('project', wanted, await collectAll(client.list('GET /projects')), ({ id, name, sourceProjectId }) => ({
        id,
        names: [name, sourceProjectId],
      }));

/** Names of projects by id, for lists of what belongs to them; none for an API key that may not read projects. */
export const projectNames = async (client: Client): Promise<ReadonlyMap<string, string>> => {
  try {
    const projects = await collectAll(client.list('GET /projects', { query: { limit: 100 } }));
    return new Map(projects.map(({ id, name }) => [id, name]));
  } catch (error) {
    if (error instanceof ApiFailure && error.status === 403) return new Map();
    throw error;
  }
};

/** Undefined if none is named. */
export const findProjectId = async (client: Client, wanted: string | undefined): Promise<string | undefined> =>
  wanted === undefined || isId('prj', wanted) ? wanted : (await findProject(client, wanted)).id;

/** Of several, in their order; empty if none is named. */
export const findProjectIds = async (client: Client, wanted: readonly string[] = []): Promise<readonly string[]> => {
  const ids: string[] = [];
  for (const one of wanted) ids.push((await findProject(client, one)).id);
  return ids;
};

export type Storage = DataOf<'GET /storage-destinations/{storageId}'>;
export const findStorage = async (client: Client, wanted: string): Promise<Storage> =>
  isId('dst', wanted)
    ? client.request('GET /storage-destinations/{storageId}', { params: { storageId: wanted } })
    : matchName('storage destination', wanted, await collectAll(client.list('GET /storage-destinations')), named);

export const findStorageId = async (client: Client, wanted: string | undefined): Promise<string | undefined> =>
  wanted === undefined || isId('dst', wanted) ? wanted : (await findStorage(client, wanted)).id;

export type Schedule = DataOf<'GET /schedules/{scheduleId}'>;
export const findSchedule = async (client: Client, wanted: string): Promise<Schedule> =>
  isId('sch', wanted)
    ? client.request('GET /schedules/{scheduleId}', { params: { scheduleId: wanted } })
    : matchName('schedule', wanted, await collectAll(client.list('GET /schedules')), named);

export const findScheduleId = async (client: Client, wanted: string | undefined): Promise<string | undefined> =>
  wanted === undefined || isId('sch', wanted) ? wanted : (await findSchedule(client, wanted)).id;

export type RestoreTest = DataOf<'GET /restore-tests/{restoreTestId}'>;
export type TestRun = DataOf<'GET /restore-tests/runs/{runId}'>;
/** By id or name. */
export const findRestoreTest = async (client: Client, wanted: string): Promise<RestoreTest> =>
  isId('rtp', wanted)
    ? client.request('GET /restore-tests/{restoreTestId}', { params: { restoreTestId: wanted } })
    : matchName('restore test', wanted, await collectAll(client.list('GET /restore-tests')), named);

/** By id or name. */
export const findWebhookId = async (client: Client, wanted: string): Promise<string> =>
  isId('whk', wanted) ? wanted : matchName('webhook', wanted, await collectAll(client.list('GET /webhooks')), named).id;

/** By id or name. */
export const findAlertId = async (client: Client, wanted: string): Promise<string> =>
  isId('alr', wanted) ? wanted : matchName('alert', wanted, await collectAll(client.list('GET /alerts')), named).id;

export type Backup = DataOf<'GET /backups/{backupId}'>;
/** By id, the beginning of an id, or `latest`: the newest good backup that no restore made and that is of no other database. */
export const findBackup = async (client: Client, wanted: string, projectId?: string): Promise<Backup> => {
  if (isId('bkp', wanted)) return client.request('GET /backups/{backupId}', { params: { backupId: wanted } });
  if (wanted !== 'latest') {
    const found = await collectAll(client.list('GET /backups', { query: { projectId, limit: 100 } }));
    return matchName('backup', wanted, found, ({ id }) => ({ id, names: [] }));
  }
  const query = { projectId, status: 'completed' } as const;
  let skipped: Backup | undefined;
  for await (const backup of client.list('GET /backups', { query })) {
    if (isOwnBackup(backup) && !isFoundDamaged(backup)) return backup;
    skipped ??= backup;
  }
  const hint = skipped
    ? ` other than damaged ones, imports of other databases and what restores made, such as ${skipped.id}`
    : '';
  throw new CliFailure(exitCodes.notFound, `there is no completed backup${hint}`);
};

export const findBackupId = async (client: Client, wanted: string, projectId?: string): Promise<string> =>
  isId('bkp', wanted) ? wanted : (await findBackup(client, wanted, projectId)).id;

/** By id, the beginning of an id, or `latest`. */
export const findRestoreId = async (client: Client, wanted: string): Promise<string> => {
  if (isId('rst', wanted)) return wanted;
  if (wanted === 'latest') {
    for await (const { restoreJobId, dryRun } of client.list('GET /backups/restore')) if (!dryRun) return restoreJobId;
    throw new CliFailure(exitCodes.notFound, 'there is no restore');
  }
  const found = await collectAll(client.list('GET /backups/restore', { query: { limit: 100 } }));
  return matchName('restore', wanted, found, ({ restoreJobId }) => ({ id: restoreJobId, names: [] })).restoreJobId;
};
