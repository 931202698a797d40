/**
 * Holds an API key to its projects, from the `projects` of the endpoint's row. A resource of another project does not exist for the key:
 * before the handler sees its id, it is replaced by one that no resource has, so that the answer is exactly that of an unknown id.
 */
import { alertKey } from '../alert/index.ts';
import type { ProjectReach } from '../contract/access.ts';
import type { Endpoint } from '../contract/endpoint.ts';
import { ApiError } from '../contract/errors.ts';
import { type IdKind, idPrefixes, isId } from '../contract/ids.ts';
import { exportKey } from '../export/index.ts';
import { getAll, type Item, type Key, type Tenant } from '../platform/index.ts';
import { restoreKey } from '../restore/index.ts';
import { restoreTestKey } from '../restore-test/index.ts';
import { scheduleKey } from '../schedule/index.ts';
import { backupKey } from '../stored-backup/index.ts';
import type { RequestedPage } from './cursor.ts';
import type { Outcome } from './handler-types.ts';

/** Who is limited, to which projects. */
export interface ProjectLimit {
  readonly tenant: Tenant;
  readonly projectIds: readonly string[];
}

type FindKey = (tenant: Tenant, id: string) => Key<Item>;

/** Where the resources of a project are. The ids of other kinds name nothing of a project, or only below the id of one. */
const resources: Readonly<Record<IdKind, FindKey | undefined>> = {
  backup: backupKey.backup,
  restore: restoreKey.restore,
  export: exportKey.export,
  schedule: scheduleKey.schedule,
  restoreTest: restoreTestKey.plan,
  restoreTestRun: restoreTestKey.run,
  incident: alertKey.incident,
  project: undefined,
  erasure: undefined,
  capture: undefined,
  organization: undefined,
  user: undefined,
  session: undefined,
  invitation: undefined,
  serviceAccount: undefined,
  apiKey: undefined,
  storageDestination: undefined,
  webhook: undefined,
  alert: undefined,
  delivery: undefined,
  event: undefined,
  audit: undefined,
  task: undefined,
};

const resourceKinds = (Object.keys(resources) as IdKind[]).filter((kind) => resources[kind] !== undefined);

const kindOf = (text: string): IdKind | undefined =>
  isId('project', text) ? 'project' : resourceKinds.find((kind) => isId(kind, text));

interface CallInput {
  readonly params: unknown;
  readonly query: unknown;
  readonly body: unknown;
}

/** The input with the ids of other projects hidden. Throws if the call must name a project and names none. */
export const limitInput = async <I extends CallInput>(reach: ProjectReach, input: I, limit: ProjectLimit): Promise<I> => {
  const ids = [...new Set(stringsIn(input))].filter((text) => kindOf(text) !== undefined);
  if (reach === 'named' && (ids.length === 0 || isForAllProjects(input.body)))
    throw new ApiError('FORBIDDEN', 'This API key is limited to projects: the call must name one of them', {
      projectIds: limit.projectIds,
    });
  const hidden = new Set(await foreignIds(ids, limit));
  return hidden.size === 0 ? input : (replaceStrings(input, (text) => (hidden.has(text) ? unknownId(text) : text)) as I);
};

/** Such as a restore test of every project. */
const isForAllProjects = (body: unknown): boolean =>
  typeof body === 'object' && body !== null && 'projectId' in body && body.projectId === null;

const foreignIds = async (ids: readonly string[], limit: ProjectLimit): Promise<readonly string[]> => {
  const records = await getAll(
    ids.map((id) => {
      const kind = kindOf(id);
      return kind && resources[kind]?.(limit.tenant, id);
    }),
  );
  return ids.filter((id, n) => {
    if (isId('project', id)) return !limit.projectIds.includes(id);
    const record = records[n];
    return record !== undefined && !isWithin(record, limit);
  });
};

/** Every id consists of a prefix and a ULID; none was made at the beginning of 1970. */
const unknownId = (id: string): string => {
  const kind = kindOf(id);
  return kind ? `${idPrefixes[kind]}_${'0'.repeat(26)}` : id;
};

/** Whether all projects of a record or an item are among those of the key. Null means all projects, and a plan has such. */
const isWithin = (value: unknown, { projectIds }: Pick<ProjectLimit, 'projectIds'>): boolean => {
  const { id, projectId, targetProjectId, target, project } = value as Partial<Record<string, unknown>>;
  const named = [
    projectId,
    targetProjectId,
    (target as { readonly projectId?: unknown } | null | undefined)?.projectId,
    project === null ? null : (project as { readonly id?: unknown } | undefined)?.id,
    typeof id === 'string' && isId('project', id) ? id : undefined,
  ].filter((one) => one !== undefined);
  return named.length > 0 && named.every((one) => typeof one === 'string' && projectIds.includes(one));
};

/** Reads of further pages for one call, if most items are of other projects. */
const roundsMax = 20;

interface ListCall {
  readonly query: unknown;
  readonly page: RequestedPage | undefined;
}

/** Runs a list and leaves out items of other projects. A page may be short, but then it is not the last one. */
export const runWithinProjects = async <C extends ListCall>(
  run: (call: C) => Promise<Outcome>,
  { endpoint, call, limit }: { readonly endpoint: Endpoint; readonly call: C; readonly limit: ProjectLimit },
): Promise<Outcome> => {
  const { limit: size = 0, after: start } = call.page ?? {};
  const query = filterByProject(endpoint, call.query, limit);
  const items: unknown[] = [];
  let after = start;
  for (let round = 1; ; round++) {
    const outcome = await run({ ...call, query, page: { limit: size - items.length, after } });
    items.push(...(outcome.items ?? []).filter((item) => isWithin(item, limit)));
    after = outcome.next;
    if (after === undefined || items.length >= size || round === roundsMax) return { ...outcome, items, next: after as string };
  }
};

/** With one project, and a filter by project, the list is read by it. */
const filterByProject = ({ query: schema }: Endpoint, query: unknown, { projectIds }: ProjectLimit): unknown => {
  const [only, ...others] = projectIds;
  const hasFilter = schema !== undefined && 'projectId' in schema.shape;
  return hasFilter && others.length === 0 ? { projectId: only, ...(query as object) } : query;
};

const stringsIn = (value: unknown): readonly string[] => {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(stringsIn) : [];
};

const replaceStrings = (value: unknown, replace: (text: string) => string): unknown => {
  if (typeof value === 'string') return replace(value);
  if (Array.isArray(value)) return value.map((one) => replaceStrings(one, replace));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, replaceStrings(one, replace)]));
};
