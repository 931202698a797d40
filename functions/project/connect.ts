/** The endpoints of projects that open the database. */
import { projects } from '../../shared/contract/endpoints/projects.ts';
import { handle } from '../../shared/http/index.ts';
import { newId } from '../../shared/platform/index.ts';
import {
  chooseConnection,
  createProject,
  listRootCollections,
  probeAndRecord,
  probeProject,
  projectData,
  readProject,
  reconnectProject,
} from '../../shared/project/index.ts';

export const create = handle(projects.create, async (call) => {
  const { tenant, actor, now } = call;
  const { credentials, workloadIdentity, ...input } = call.body;
  const id = newId('project', now);
  const connection = await chooseConnection(tenant, {
    project: { id, sourceProjectId: input.sourceProjectId, databaseId: input.databaseId },
    actor,
    credentials,
    workloadIdentity,
  });
  const database = await probeProject(tenant, { ...input, id, connection });
  const { project, change } = createProject(call, { ...input, id, connection, database }, now);
  return { data: projectData(project), change };
});

export const reconnect = handle(projects.reconnect, async (call) => {
  const { tenant, actor, now } = call;
  const found = await readProject(tenant, call.params.projectId);
  const { credentials, workloadIdentity } = call.body;
  const connection = await chooseConnection(tenant, { project: found, actor, credentials, workloadIdentity });
  const database = await probeAndRecord(call, { project: found, connection, now });
  const { project, change } = reconnectProject(tenant, { project: found, connection, database, now });
  return { data: projectData(project), change };
});

export const collections = handle(projects.collections, async ({ tenant, params, page }) =>
  listRootCollections(tenant, await readProject(tenant, params.projectId), page),
);
