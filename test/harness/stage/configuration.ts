/** What surrounds the documents of a source of the stage, set as `gcloud` and `firebase` set it. */
import { stageVariable } from './client.ts';

const send = async (method: string, path: string, body?: unknown): Promise<Record<string, unknown>> => {
  const answer = await fetch(`http://${stageVariable('STAGE_FIRESTORE')}/v1/${path}`, {
    method,
    headers: { authorization: 'Bearer owner', 'content-type': 'application/json' },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const read = (await answer.json()) as Record<string, unknown>;
  if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(read)}`);
  return read;
};

const database = (project: string): string => `projects/${project}/databases/(default)`;

/** Creates a composite index of ascending fields, and returns its name. */
export const createIndex = async (project: string, group: string, fieldPaths: readonly string[]): Promise<string> => {
  const fields = fieldPaths.map((fieldPath) => ({ fieldPath, order: 'ASCENDING' }));
  const created = await send('POST', `${database(project)}/collectionGroups/${group}/indexes`, {
    queryScope: 'COLLECTION',
    fields,
  });
  return (created.metadata as { readonly index: string }).index;
};

export const listIndexes = async (project: string): Promise<readonly { readonly name: string; readonly state: string }[]> => {
  const { indexes = [] } = await send('GET', `${database(project)}/collectionGroups/-/indexes`);
  return indexes as readonly { readonly name: string; readonly state: string }[];
};

export const deleteIndex = (name: string): Promise<unknown> => send('DELETE', name);

/** Sets the parts of a field that are given: `{ ttlConfig: {} }` is a TTL policy, `{ ttlConfig: null }` none. */
export const setField = (
  project: string,
  [group, field]: readonly [group: string, field: string],
  settings: Readonly<Record<string, unknown>>,
): Promise<unknown> => {
  const given = Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== null));
  const mask = Object.keys(settings).join(',');
  return send('PATCH', `${database(project)}/collectionGroups/${group}/fields/${field}?updateMask=${mask}`, given);
};

export const setDatabase = (project: string, settings: Readonly<Record<string, string>>): Promise<unknown> =>
  send('PATCH', database(project), settings);

export const readDatabase = (project: string): Promise<Record<string, unknown>> => send('GET', database(project));

/** Releases rules for the database or a bucket: `cloud.firestore`, or `firebase.storage/{bucket}`. */
export const releaseRules = async (project: string, release: string, content: string): Promise<void> => {
  const ruleset = await send('POST', `projects/${project}/rulesets`, { source: { files: [{ name: 'rules', content }] } });
  const body = { name: `projects/${project}/releases/${release}`, rulesetName: ruleset.name };
  const { releases = [] } = await send('GET', `projects/${project}/releases`);
  const exists = (releases as readonly { readonly name: string }[]).some(({ name }) => name === body.name);
  if (exists) await send('PATCH', `projects/${project}/releases/${release}`, { release: body });
  else await send('POST', `projects/${project}/releases`, body);
};

export const deleteRelease = (project: string, release: string): Promise<unknown> =>
  send('DELETE', `projects/${project}/releases/${release}`);

/** Makes the next calls of a method of these APIs fail. */
export const refuseConfiguration = async (project: string, method: string, times = 1): Promise<void> => {
  const answer = await fetch(`http://${stageVariable('STAGE_FIRESTORE')}/admin/faults`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ method, project, times, status: 'PERMISSION_DENIED', message: 'The caller does not have permission' }),
  });
  if (!answer.ok) throw new Error(await answer.text());
};
