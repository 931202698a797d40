import { projects } from '../../shared/contract/endpoints/projects.ts';
import { invalid } from '../../shared/contract/errors.ts';
import { handle } from '../../shared/http/index.ts';
import { moveProject } from '../../shared/move/index.ts';
import { endWithProject, readPitr } from '../../shared/pitr/index.ts';
import { newId } from '../../shared/platform/index.ts';
import {
  chooseConnection,
  createProject,
  listProjects,
  listRootCollections,
  probeAndRecord,
  probeProject,
  projectData,
  readProject,
  reconnectProject,
  removeProject,
  updateProject,
  workloadIdentitySetup,
} from '../../shared/project/index.ts';

export const create = handle(projects.create, async (call) => {
  const { tenant, actor, now } = call;
  const { credentials, workloadIdentity, ...input } = call.body;
  const id = newId('project', now);
  const connection = await chooseConnection(tenant, {
    project: { id, sourceProjectId: input.sourceProjectId },
    actor,
    credentials,
    workloadIdentity,
  });
  await probeProject(tenant, { ...input, id, connection });
  const { project, change } = createProject(call, { ...input, id, connection }, now);
  return { data: projectData(project), change };
});

export const list = handle(projects.list, async ({ tenant, page }) => {
  const { projects: found, next } = await listProjects(tenant, page);
  return { items: found.map(projectData), next };
});

export const workloadIdentity = handle(projects.workloadIdentity, async ({ tenant, query }) => ({
  data: workloadIdentitySetup(tenant, query),
}));

export const get = handle(projects.get, async ({ tenant, params }) => ({
  data: projectData(await readProject(tenant, params.projectId)),
}));

export const update = handle(projects.update, async (call) => {
  const { tenant, params, body, now } = call;
  const { organizationId, ...input } = body;
  if (organizationId !== undefined) {
    if (Object.keys(input).length > 0)
      throw invalid('organizationId', 'moves the project and cannot be combined with other fields');
    const moved = await moveProject(call, params.projectId, organizationId);
    // The move has committed its own transactions.
    return { data: projectData(moved), change: { writes: [], audit: [] } };
  }
  const { project, change } = updateProject(tenant, await readProject(tenant, params.projectId), input, now);
  return { data: projectData(project), change };
});

export const remove = handle(projects.remove, async (call) => {
  const { tenant, params, now } = call;
  const [project, pitr] = await Promise.all([readProject(tenant, params.projectId), readPitr(tenant, params.projectId)]);
  const { writes, audit } = removeProject(call, project, now);
  return {
    message: pitr
      ? 'The project was disconnected. Its backups are kept; its captured changes are being deleted'
      : 'The project was disconnected. Its backups are kept',
    change: { writes: [...writes, ...endWithProject(call, project, pitr, now)], audit },
  };
});

export const reconnect = handle(projects.reconnect, async (call) => {
  const { tenant, actor, now } = call;
  const found = await readProject(tenant, call.params.projectId);
  const { credentials, workloadIdentity } = call.body;
  const connection = await chooseConnection(tenant, { project: found, actor, credentials, workloadIdentity });
  await probeAndRecord(call, found, connection, now);
  const { project, change } = reconnectProject(tenant, found, connection, now);
  return { data: projectData(project), change };
});

export const collections = handle(projects.collections, async ({ tenant, params, page }) =>
  listRootCollections(tenant, await readProject(tenant, params.projectId), page),
);
