import type { ProjectRecord } from './record.ts';

/** The name of a project's database, as Google and manifests have it: `projects/p/databases/d`. */
export const databaseName = ({ sourceProjectId, databaseId }: Pick<ProjectRecord, 'sourceProjectId' | 'databaseId'>): string =>
  `projects/${sourceProjectId}/databases/${databaseId}`;
