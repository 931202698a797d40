/** The part of the Admin API that tells about a database: `databases.get`. */
import { type DatabaseName, databaseName, parseDatabaseName } from '../base/document-name.ts';
import type { Micros } from '../base/types.ts';
import type { StoredDatabase } from '../storage/database.ts';
import type { Databases } from '../storage/databases.ts';
import { decodeSegments } from './rest-routes.ts';

const one = /^\/v1\/(projects\/[^/]+\/databases\/[^/]+)$/;

/** A request for a database; undefined if the path is another. */
export const databaseRoute = (
  databases: Databases,
  http: { readonly method: string; readonly path: string },
): { readonly name: DatabaseName; readonly run: () => unknown } | undefined => {
  const [, path] = one.exec(http.path) ?? [];
  if (path === undefined || http.method !== 'GET') return undefined;
  const name = parseDatabaseName(decodeSegments(path).join('/'));
  return { name, run: () => resourceOf(databases.open(name)) };
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
    deleteProtectionState: 'DELETE_PROTECTION_DISABLED',
  };
};

const momentOf = (at: Micros): string => new Date(at / 1_000).toISOString();
