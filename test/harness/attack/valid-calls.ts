/** A valid call of every endpoint, made from its schemas and the resources of an organization. */
import { randomUUID } from 'node:crypto';
import type { Endpoint } from '../../../shared/contract/endpoint.ts';
import { idPrefixes } from '../../../shared/contract/ids.ts';
import { inputSchema, type Schema } from '../../../shared/contract/openapi/json-schema.ts';
import { sampleOf } from '../../../shared/docs/sample.ts';
import { parameterKinds } from '../law/endpoint-samples.ts';
import type { RowOptions } from '../stage/client.ts';
import type { FullOrganization } from './full-organization.ts';

export type WholeCall = Required<Pick<RowOptions, 'params' | 'query'>> & Pick<RowOptions, 'body'>;

export const callOf = (endpoint: Endpoint, of: FullOrganization): WholeCall => ({
  params: Object.fromEntries(parametersOf(endpoint).map((name) => [name, paramOf(endpoint, name, of)])),
  query: queries[endpoint.id]?.(of) ?? {},
  ...(endpoint.body && { body: bodies[endpoint.id]?.(of) ?? requiredOf(inputSchema(endpoint.body), of) }),
});

export const parametersOf = ({ path }: Pick<Endpoint, 'path'>): readonly string[] =>
  [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);

/** The id prefix of a path parameter; undefined for an invitation token. */
export const prefixOf = (name: string): string | undefined =>
  name in parameterKinds ? idPrefixes[parameterKinds[name as keyof typeof parameterKinds]] : undefined;

const paramOf = ({ id }: Endpoint, name: string, of: FullOrganization): string => {
  const prefix = prefixOf(name);
  if (prefix === undefined) return of.link;
  // Captures start with a backup, and other endpoints would have to wait for it.
  const known = of.ids[prefix] ?? [];
  return known[id.startsWith('pitr.') ? 2 : 0] ?? '';
};

/** Samples of the required fields, with ids of existing resources. */
const requiredOf = (schema: Schema, of: FullOrganization): Record<string, unknown> => {
  const sample = sampleOf(schema, () => ({})) as Record<string, unknown>;
  const required = (schema.required ?? []) as readonly string[];
  return Object.fromEntries(required.map((name) => [name, owned(sample[name], of)]));
};

const owned = (value: unknown, of: FullOrganization): unknown => {
  const prefix = /^([a-z]+)_01JZ8Q4V0M6T3X9C2B7N5K1HRD$/.exec(String(value))?.[1];
  return (prefix && of.ids[prefix]?.[0]) ?? value;
};

const renamed = () => ({ name: 'Renamed' });
const fresh = () => randomUUID().slice(0, 8);

/** The required queries: an unknown user code; a backup compared with itself, which needs no access to the source database. */
const queries: Readonly<Record<string, (of: FullOrganization) => Record<string, string>>> = {
  'device.show': () => ({ userCode: 'BBBB-BBBB' }),
  'projects.workloadIdentity': () => ({ sourceProjectId: 'my-project' }),
  'documents.locate': ({ ids }) => ({ projectId: ids.prj?.[0] ?? '', path: 'users/ada' }),
  'documents.deleted': ({ ids }) => ({ projectId: ids.prj?.[0] ?? '' }),
  'search.documents': ({ ids }) => ({ projectId: ids.prj?.[0] ?? '', q: 'users/ada' }),
  'exports.content': ({ exportedFile }) => ({ file: exportedFile }),
  'backupContents.configurationDiff': ({ ids }) => ({ against: ids.bkp?.[0] ?? '' }),
  'backupContents.diff': ({ ids }) => ({ against: ids.bkp?.[0] ?? '' }),
};

/** Bodies where the required fields are not enough: updates, and resources that must not exist yet. */
const bodies: Readonly<Record<string, (of: FullOrganization) => object>> = {
  'organizations.create': () => ({ name: 'Another', slug: `slug-${fresh()}` }),
  'organizations.update': ({ name }) => ({ name }),
  'organizations.remove': ({ name }) => ({ confirmName: name }),
  'members.update': () => ({ role: 'member' }),
  'invites.create': () => ({ email: `${fresh()}@example.com` }),
  'serviceAccount.update': renamed,
  'apiKeys.update': renamed,
  'projects.create': () => ({ name: 'Another', sourceProjectId: `source-${fresh()}` }),
  'projects.update': renamed,
  'pitr.enable': ({ ids }) => ({ storageDestinationId: ids.dst?.[0] }),
  'pitr.update': () => ({ retentionDays: 3 }),
  'erasures.preview': () => ({ paths: ['users/ada'] }),
  'erasures.create': () => ({ paths: [`erased/${fresh()}`], reason: 'Requested' }),
  'storageDestinations.create': () => ({
    ...{ name: 'Another', type: 's3', bucket: 'demo-backups' },
    credentials: { accessKeyId: 'AKIATEST', secretAccessKey: 'not-so-secret' },
  }),
  'storageDestinations.update': renamed,
  'backups.create': ({ ids }) => ({ projectId: ids.prj?.[0], storageDestinationId: ids.dst?.[0] }),
  'backupContents.configurationRestore': () => ({ dryRun: true }),
  'backupContents.register': ({ ids, backupLocation }) => ({
    ...{ projectId: ids.prj?.[0], storageDestinationId: ids.dst?.[0] },
    path: backupLocation.path,
  }),
  'exports.create': ({ ids }) => ({ backupId: ids.bkp?.[0], format: 'csv' }),
  'restores.create': ({ ids }) => ({ backupId: ids.bkp?.[0], targetProjectId: ids.prj?.[1] }),
  'schedules.update': renamed,
  'restoreTests.update': renamed,
  'webhooks.create': () => ({ name: 'Another', url: 'https://localhost:9/', events: ['member.*'] }),
  'webhooks.replace': renamed,
  'webhooks.update': renamed,
  'alerts.create': () => ({ name: 'Another', channel: 'email' }),
  'alerts.update': renamed,
  'incidents.update': () => ({ mutedUntil: new Date(Date.now() + 3_600_000).toISOString() }),
  'webhooks.replay': () => ({ from: '2026-01-01', to: '2026-01-02' }),
};
