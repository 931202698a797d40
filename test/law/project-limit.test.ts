/**
 * An API key that is limited to projects: for every endpoint that names a project, directly or by one of its resources, the answer about
 * another project is that about one which does not exist. Runs the handlers in this process with their own table.
 */
import { deepEqual, equal, ok } from 'node:assert/strict';
import { afterAll, test } from 'vitest';
import { scopes } from '../../shared/contract/access.ts';
import type { Endpoint } from '../../shared/contract/endpoint.ts';
import { type IdKind, idPrefixes } from '../../shared/contract/ids.ts';
import { endpoints } from '../../shared/contract/index.ts';
import { requestExamples } from '../../shared/contract/openapi/examples/request-examples.ts';
import { newKeyToken } from '../../shared/organization/index.ts';
import { fingerprint, newId } from '../../shared/platform/index.ts';
import { startInProcessApi } from '../harness/aws/in-process-api.ts';
import { parameterKinds } from '../harness/law/endpoint-samples.ts';

const here = await startInProcessApi();
afterAll(() => here.stop());
const org = here.organizationIds[0]!;
const [mine, theirs] = [newId('project'), newId('project')];

const keyId = newId('apiKey');
const key = newKeyToken(keyId);
here.table.put({ pk: `APIKEY#${keyId}`, sk: 'APIKEY', accountId: keyId, organizationId: org, fingerprint: fingerprint(key) });
here.table.put({
  pk: `ORG#${org}`,
  sk: `API_KEY#${keyId}`,
  id: keyId,
  name: 'Limited',
  role: 'admin',
  permissions: scopes,
  projectIds: [mine],
  expiresAt: '9999-01-01T00:00:00.000Z',
});

const prefixes = {
  project: 'PROJECT#',
  backup: 'BACKUP#',
  restore: 'RESTORE#',
  export: 'EXPORT#',
  schedule: 'SCHEDULE#',
  restoreTest: 'RESTORETEST#',
  restoreTestRun: 'RESTORETESTRUN#',
  incident: 'INCIDENT#',
} as const;
type Kind = keyof typeof prefixes;
const kinds = Object.keys(prefixes) as Kind[];

/** A resource of another project, as little as there can be: a handler that reads it would fail. */
const existing = Object.fromEntries(
  kinds.map((kind) => {
    const id = kind === 'project' ? theirs : newId(kind);
    here.table.put({ pk: `ORG#${org}`, sk: `${prefixes[kind]}${id}`, id, projectId: theirs, project: { id: theirs } });
    return [kind, id];
  }),
) as Record<Kind, string>;
const unknown = Object.fromEntries(kinds.map((kind) => [kind, newId(kind)])) as Record<Kind, string>;

/** Where the query names a project or a resource of one. */
const queries: Readonly<Record<string, (ids: Record<Kind, string>) => string>> = {
  'backupContents.configurationDiff': ({ backup }) => `against=${backup}`,
  'backupContents.diff': ({ backup }) => `against=${backup}`,
  'documents.locate': ({ project }) => `projectId=${project}&path=users/ada`,
  'documents.deleted': ({ project }) => `projectId=${project}`,
  'exports.content': () => 'file=part-00001.ndjson',
  'search.documents': ({ project }) => `projectId=${project}&q=ada`,
};

/** A valid call that names these resources wherever it names one. */
const ask = async (endpoint: Endpoint, ids: Record<Kind, string>) => {
  const idFor = (kind: IdKind): string => (kind in ids ? ids[kind as Kind] : `${idPrefixes[kind]}_${'1'.repeat(26)}`);
  const params = Object.fromEntries(
    [...endpoint.path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => [name, idFor(parameterKinds[name as 'projectId'])]),
  );
  const example = (requestExamples as Record<string, object>)[endpoint.id];
  const body = example && JSON.stringify({ ...example, ...(endpoint.id === 'restoreTests.replace' && { projectId: mine }) });
  const named = kinds.reduce(
    (text, kind) => text?.replaceAll(new RegExp(`"${idPrefixes[kind]}_[0-9A-Z]{26}"`, 'g'), `"${ids[kind]}"`),
    body,
  );
  const query = queries[endpoint.id]?.(ids) ?? '';
  const path = endpoint.path.replace(/\{(\w+)\}/g, (_, name: string) => params[name]!);
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const { status, body: answer } = await here.send(endpoint, {
    method: endpoint.method,
    path,
    params,
    query,
    headers,
    ...(named !== undefined && { body: named }),
  });
  const { requestId: _, ...error } = (answer.error ?? {}) as unknown as Record<string, unknown>;
  return { status, error };
};

const named = endpoints.filter(
  ({ access }) => typeof access === 'object' && access.scope !== 'people-only' && access.projects === 'named',
);

for (const endpoint of named)
  test(`${endpoint.id}: another project does not exist for a limited key`, async () => {
    const [foreign, missing] = [await ask(endpoint, existing), await ask(endpoint, unknown)];
    deepEqual(foreign, missing);
    equal(foreign.status, 404, JSON.stringify(foreign));
  });

test('limited keys: most endpoints with scopes name a project', () => ok(named.length > 30));
