import type { ProjectRecord } from './record.ts';

/** The name of a project's database, as Google and manifests have it: `projects/p/databases/d`. */
export const databaseName = ({ sourceProjectId, databaseId }: Pick<ProjectRecord, 'sourceProjectId' | 'databaseId'>): string =>
  `projects/${sourceProjectId}/databases/${databaseId}`;

/** The beginning of the names of its documents. */
export const documentsRootOf = (project: Pick<ProjectRecord, 'sourceProjectId' | 'databaseId'>): string =>
  `${databaseName(project)}/documents/`;
