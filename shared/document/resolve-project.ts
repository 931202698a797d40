import { invalid } from '../contract/errors.ts';
import type { Tenant } from '../platform/index.ts';
import { listProjects, type ProjectRecord, readProject } from '../project/index.ts';
import type { DocumentAddress } from './parse-document-address.ts';

const pageItems = 1_000;

/** The project of a document: the given one, or the connected one whose database the address names. */
export const resolveProject = async (
  tenant: Tenant,
  { database }: DocumentAddress,
  projectId: string | undefined,
): Promise<ProjectRecord> => {
  if (projectId !== undefined) {
    const project = await readProject(tenant, projectId);
    assertNamesProject(project, { database, field: 'path' });
    return project;
  }
  if (!database) throw invalid('projectId', 'is required unless path names the Google Cloud project');
  const found = await findProjects(tenant, database);
  const [project, ...others] = found;
  const named = `${database.sourceProjectId} (database ${database.databaseId})`;
  if (!project) throw invalid('projectId', `is required: ${named} is not connected to this organization`);
  if (others.length > 0)
    throw invalid('projectId', `is required: ${named} is connected more than once`, { allowedValues: found.map(({ id }) => id) });
  return project;
};

type Database = NonNullable<DocumentAddress['database']>;

/** Throws VALIDATION_ERROR if an address names another database. */
export const assertNamesProject = (
  project: ProjectRecord,
  { database, field }: { readonly database: Database | undefined; readonly field: string },
): void => {
  if (!database || isOf(project, database)) return;
  throw invalid(
    field,
    `names the database ${database.databaseId} of ${database.sourceProjectId}; the project ${project.name} is ${project.databaseId} of ${project.sourceProjectId}`,
  );
};

const isOf = ({ sourceProjectId, databaseId }: ProjectRecord, database: Database): boolean =>
  sourceProjectId === database.sourceProjectId && databaseId === database.databaseId;

const findProjects = async (tenant: Tenant, database: Database): Promise<readonly ProjectRecord[]> => {
  const found: ProjectRecord[] = [];
  let after: string | undefined;
  do {
    const { projects, next } = await listProjects(tenant, { limit: pageItems, after });
    found.push(...projects.filter((project) => isOf(project, database)));
    after = next;
  } while (after !== undefined);
  return found;
};
