/** Projects that name the fields whose values their backups store filters of, and searches that these speed up. */
import { searchDocuments } from '../../../shared/document/index.ts';
import type { Clock } from '../../../shared/platform/index.ts';
import { type ProjectRecord, projectKey } from '../../../shared/project/index.ts';
import type { BackupEnv } from './backup-env.ts';

type Env = Pick<BackupEnv, 'tenant' | 'table' | 'projectId'>;

/** The next backups store filters of the ids and of these fields. */
export const nameSearchFields = ({ tenant, table, projectId }: Env, searchFields: readonly string[]): void => {
  const key = projectKey.project(tenant, projectId);
  const project = table.get<ProjectRecord>(key)!;
  table.put({ ...project, ...key, settings: { ...project.settings, searchFields } });
};

export interface SearchOptions {
  readonly backupId: string;
  readonly collection?: string | undefined;
  readonly after?: string | undefined;
  readonly limit?: number;
  readonly dryRun?: 'true' | 'false';
}

interface SearchEnv extends Pick<Env, 'tenant' | 'projectId'> {
  readonly deps: NonNullable<NonNullable<Parameters<typeof searchDocuments>[1]>['deps']>;
  readonly clock: Clock;
}

/** A search that takes long has as much time as it needs. */
export const searchIn = async (
  { tenant, projectId, deps, clock }: SearchEnv,
  q: string,
  { backupId, collection, after, limit = 1_000, dryRun = 'false' }: SearchOptions,
) => {
  const now = clock.now();
  const request = {
    tenant,
    now,
    query: { q, dryRun, projectId, backupId, collection },
    page: { limit, after },
  } as const;
  const { data, next } = await searchDocuments(request, { deps, time: { ...clock, now: () => now } });
  return { ...data, next };
};
