/** Finds the resource that a user names. */
import {
  ApiFailure,
  type Client,
  type DataOf,
  type ElementOf,
  isFoundDamaged,
  isOwnBackup,
  type ListRoute,
  type Route,
} from '../../../shared/client/index.ts';
import { CliFailure } from '../base/cli-failure.ts';
import { collectAll } from '../base/collect-all.ts';
import { exitCodes } from '../base/exit-codes.ts';
import { matchName } from '../base/match-name.ts';

/** Resources that people name. The path and the parameter are those of their rows in the contract. */
export const resources = {
  project: { path: '/projects', param: 'projectId', prefix: 'prj', noun: 'project' },
  storage: { path: '/storage-destinations', param: 'storageId', prefix: 'dst', noun: 'storage destination', argument: 'storage' },
  schedule: { path: '/schedules', param: 'scheduleId', prefix: 'sch', noun: 'schedule' },
  restoreTest: { path: '/restore-tests', param: 'restoreTestId', prefix: 'rtp', noun: 'restore test', argument: 'plan' },
  // Changing these needs no scope to read them, and the list of webhooks has no secrets: only `show` reads them.
  webhook: { path: '/webhooks', param: 'webhookId', prefix: 'whk', noun: 'webhook', isReadAlone: true, toggle: '/toggle' },
  apiKey: { path: '/organizations/current/api-keys', param: 'apiKeyId', prefix: 'key', noun: 'API key', argument: 'key' },
  alert: { path: '/alerts', param: 'alertId', prefix: 'alr', noun: 'alert', isReadAlone: true },
  incident: {
    path: '/alerts/incidents',
    param: 'incidentId',
    prefix: 'inc',
    noun: 'incident',
    isReadAlone: true,
    named: { status: 'open' },
  },
} as const satisfies Readonly<Record<string, Resource>>;

type PathOf<R> = R extends `GET ${infer P}` ? P : never;

export interface Resource {
  readonly path: PathOf<ListRoute>;
  readonly param: string;
  /** Of its ids. */
  readonly prefix: string;
  readonly noun: string;
  /** Its word in the usage of commands, if not the noun. */
  readonly argument?: string;
  readonly isReadAlone?: true;
  /** Only these are found by name. */
  readonly named?: Readonly<Record<string, string>>;
  /** Below the record: where it is enabled and disabled. */
  readonly toggle?: `/${string}`;
}

export type ResourceName = keyof typeof resources;
type RowOf<N extends ResourceName> = (typeof resources)[N];
export type RecordOf<N extends ResourceName> = DataOf<Extract<`GET ${RowOf<N>['path']}/{${RowOf<N>['param']}}`, Route>>;
export type ElementOfList<N extends ResourceName> = ElementOf<Extract<`GET ${RowOf<N>['path']}`, ListRoute>>;
export type Project = RecordOf<'project'>;
export type Storage = RecordOf<'storage'>;
export type Schedule = RecordOf<'schedule'>;
export type RestoreTest = RecordOf<'restoreTest'>;
export type TestRun = DataOf<'GET /restore-tests/runs/{runId}'>;

const isId = (prefix: string, text: string): boolean => new RegExp(`^${prefix}_[0-9A-HJKMNP-TV-Z]{26}$`).test(text);

/** Routes that are composed of a resource's row. */
export const composed = (client: Client) => ({
  request: client.request as unknown as <T>(route: string, input: object) => Promise<T>,
  list: client.list as unknown as <T>(route: string, input?: object) => AsyncIterable<T>,
});

interface Listed {
  readonly id: string;
  readonly name?: string;
  /** The name of an incident. */
  readonly title?: string;
  /** Projects are also named by the id of their Google Cloud project. */
  readonly sourceProjectId?: string;
}

const findListed = async (client: Client, { path, noun, named }: Resource, wanted: string): Promise<Listed> =>
  matchName(noun, {
    wanted,
    found: await collectAll(composed(client).list<Listed>(`GET ${path}`, named && { query: named })),
    namedOf: ({ id, name, title, sourceProjectId }) => ({
      id,
      names: [name, title, sourceProjectId].filter((one) => one !== undefined),
    }),
  });

/** By id or name. */
export const findRecord = async <N extends ResourceName>(client: Client, name: N, wanted: string): Promise<RecordOf<N>> => {
  const resource: Resource = resources[name];
  const { path, param, prefix, isReadAlone } = resource;
  const found = isId(prefix, wanted) ? undefined : await findListed(client, resource, wanted);
  if (found && !isReadAlone) return found as unknown as RecordOf<N>;
  return composed(client).request(`GET ${path}/{${param}}`, { params: { [param]: found?.id ?? wanted } });
};

/** By id or name; undefined if none is named. An id is not looked up. */
export const findRecordId = async <W extends string | undefined>(client: Client, name: ResourceName, wanted: W): Promise<W> => {
  const resource: Resource = resources[name];
  if (wanted === undefined || isId(resource.prefix, wanted)) return wanted;
  return (await findListed(client, resource, wanted)).id as W;
};

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

/** Of several, in their order; empty if none is named. */
export const findProjectIds = async (client: Client, wanted: readonly string[] = []): Promise<readonly string[]> => {
  const ids: string[] = [];
  for (const one of wanted) ids.push((await findRecord(client, 'project', one)).id);
  return ids;
};

export type Backup = DataOf<'GET /backups/{backupId}'>;
/** By id, the beginning of an id, or `latest`: the newest good backup that no restore made and that is of no other database. */
export const findBackup = async (client: Client, wanted: string, projectId?: string): Promise<Backup> => {
  if (isId('bkp', wanted)) return client.request('GET /backups/{backupId}', { params: { backupId: wanted } });
  if (wanted !== 'latest') {
    const found = await collectAll(client.list('GET /backups', { query: { projectId, limit: 100 } }));
    return matchName('backup', { wanted, found, namedOf: ({ id }) => ({ id, names: [] }) });
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

/** The option of commands whose argument may be `latest`. */
export interface OfProject {
  readonly project?: string | undefined;
}

/** By id, the beginning of an id, or `latest`. */
export const findRestoreId = async (client: Client, wanted: string, { project }: OfProject = {}): Promise<string> => {
  if (isId('rst', wanted)) return wanted;
  const projectId = await findRecordId(client, 'project', project);
  if (wanted === 'latest') {
    for await (const { restoreJobId, dryRun } of client.list('GET /backups/restore', { query: { projectId } }))
      if (!dryRun) return restoreJobId;
    throw new CliFailure(exitCodes.notFound, 'there is no restore');
  }
  const found = await collectAll(client.list('GET /backups/restore', { query: { projectId, limit: 100 } }));
  return matchName('restore', { wanted, found, namedOf: ({ restoreJobId }) => ({ id: restoreJobId, names: [] }) }).restoreJobId;
};
