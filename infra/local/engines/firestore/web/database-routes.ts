/** The part of the Admin API that tells about databases, and changes their settings. */
import * as z from 'zod/mini';
import { type DatabaseName, databaseName, parseDatabaseName } from '../base/document-name.ts';
import { type Micros, RpcError } from '../base/types.ts';
import { parseResource } from '../indexes/index-resource.ts';
import type { StoredDatabase } from '../storage/database.ts';
import type { Databases } from '../storage/databases.ts';
import { type ApiCall, type ApiRequest, maskOf } from './api-call.ts';
import { decodeSegments } from './rest-routes.ts';

const one = /^\/v1\/(projects\/[^/]+\/databases\/[^/]+)$/;
const all = /^\/v1\/projects\/([^/]+)\/databases$/;

/** A request for databases; undefined if the path is another. */
export const databaseRoute = (databases: Databases, { method, path, query, body }: ApiRequest): ApiCall | undefined => {
  const [, encoded] = all.exec(path) ?? [];
  if (encoded !== undefined && method === 'GET') {
    const [project = ''] = decodeSegments(encoded);
    const own = () => databases.list().filter(({ projectId }) => projectId === project);
    return { method: 'ListDatabases', name: `projects/${project}`, run: () => ({ databases: own().map(resourceOf) }) };
  }
  const [, place] = one.exec(path) ?? [];
  if (place === undefined || (method !== 'GET' && method !== 'PATCH')) return undefined;
  const name = parseDatabaseName(decodeSegments(place).join('/'));
  const call = { name: databaseName(name) };
  if (method === 'GET') return { ...call, method: 'GetDatabase', run: () => resourceOf(databases.open(name)) };
  return { ...call, method: 'UpdateDatabase', run: () => change(databases, name, { body, mask: maskOf(query) }) };
};

const Settings = z.object({
  deleteProtectionState: z.optional(z.enum(['DELETE_PROTECTION_ENABLED', 'DELETE_PROTECTION_DISABLED'])),
  pointInTimeRecoveryEnablement: z.optional(z.enum(['POINT_IN_TIME_RECOVERY_ENABLED', 'POINT_IN_TIME_RECOVERY_DISABLED'])),
});
const changeable: readonly string[] = Object.keys(Settings.shape);

const change = (
  databases: Databases,
  name: DatabaseName,
  { body, mask }: { readonly body: unknown; readonly mask: ReadonlySet<string> | undefined },
) => {
  const unknown = [...(mask ?? [])].filter((field) => !changeable.includes(field));
  if (unknown.length > 0) throw new RpcError('INVALID_ARGUMENT', `The field ${unknown.join(', ')} cannot be updated.`);
  const settings = parseResource(Settings, body);
  const database = databases.open(name);
  const isNamed = (field: keyof typeof settings): boolean => mask?.has(field) ?? settings[field] !== undefined;
  if (isNamed('deleteProtectionState')) {
    const { deleteProtectionState = 'DELETE_PROTECTION_DISABLED' } = settings;
    databases.describe(name, { ...database.info, deleteProtectionState });
  }
  const isRecoverable = settings.pointInTimeRecoveryEnablement === 'POINT_IN_TIME_RECOVERY_ENABLED';
  if (isNamed('pointInTimeRecoveryEnablement') && isRecoverable !== database.pointInTimeRecovery)
    databases.setPointInTimeRecovery(name, isRecoverable);
  return {
    name: `${databaseName(name)}/operations/update`,
    metadata: { '@type': 'type.googleapis.com/google.firestore.admin.v1.UpdateDatabaseMetadata' },
    done: true,
    response: { '@type': 'type.googleapis.com/google.firestore.admin.v1.Database', ...resourceOf(database) },
  };
};

const retentionSeconds = { off: 3_600, on: 7 * 24 * 3_600 } as const;

const resourceOf = (database: StoredDatabase) => {
  const isRecoverable = database.pointInTimeRecovery;
  const seconds = isRecoverable ? retentionSeconds.on : retentionSeconds.off;
  return {
    name: databaseName(database),
    ...database.info,
    concurrencyMode: database.info.databaseEdition === 'ENTERPRISE' ? 'OPTIMISTIC' : 'PESSIMISTIC',
    versionRetentionPeriod: `${seconds}s`,
    earliestVersionTime: momentOf(database.readTime() - seconds * 1_000_000),
    pointInTimeRecoveryEnablement: `POINT_IN_TIME_RECOVERY_${isRecoverable ? 'ENABLED' : 'DISABLED'}`,
  };
};

const momentOf = (at: Micros): string => new Date(at / 1_000).toISOString();
