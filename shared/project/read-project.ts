import { ApiError } from '../contract/errors.ts';
import { isId } from '../contract/ids.ts';
import { get, getAll, type Tenant, takePage, walk } from '../platform/index.ts';
import { type ProjectRecord, projectKey, projectPrefix } from './record.ts';

export const projectNotFound = (): ApiError => new ApiError('PROJECT_NOT_FOUND', 'Project not found');

/** Throws PROJECT_NOT_FOUND for an unknown or malformed id and for a project of another organization. */
export const readProject = async (tenant: Tenant, projectId: string): Promise<ProjectRecord> => {
  if (!isId('project', projectId)) throw projectNotFound();
  const project = await get(projectKey.project(tenant, projectId));
  if (!project) throw projectNotFound();
  return project;
};

/** Current names by id; projects that are gone have none. */
export const readProjectNames = async (tenant: Tenant, ids: readonly string[]): Promise<ReadonlyMap<string, string>> => {
  const projects = await getAll([...new Set(ids)].map((id) => projectKey.project(tenant, id)));
  return new Map(projects.flatMap((project) => (project ? [[project.id, project.name]] : [])));
};

/** All projects of an organization, newest first, a read of up to 1 MB at a time. */
export const walkProjects = (tenant: Tenant): AsyncGenerator<ProjectRecord> =>
  walk<ProjectRecord>({ pk: `ORG#${tenant.organizationId}`, prefix: projectPrefix, newestFirst: true });

/** Newest first: ids sort by creation time. */
export const listProjects = async (
  tenant: Tenant,
  page: { readonly limit: number; readonly after: string | undefined },
): Promise<{ projects: readonly ProjectRecord[]; next: string | undefined }> => {
  const range = { pk: `ORG#${tenant.organizationId}`, prefix: projectPrefix, newestFirst: true, after: page.after };
  const { items, next } = await takePage(walk<ProjectRecord>({ ...range, limit: page.limit + 1 }), page.limit);
  return { projects: items, next };
};
