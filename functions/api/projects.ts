import { projects } from '../../shared/contract/endpoints/projects.ts';
import { invalid } from '../../shared/contract/errors.ts';
import { handle } from '../../shared/http/index.ts';
import { moveProject } from '../../shared/move/index.ts';
import { projectReads } from '../../shared/overview/index.ts';
import { endWithProject, readPitr } from '../../shared/pitr/index.ts';
import {
  listProjects,
  projectData,
  readProject,
  removeProject,
  updateProject,
  workloadIdentitySetup,
} from '../../shared/project/index.ts';

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

export const reads = handle(projects.reads, async ({ tenant, params, now }) => ({
  data: await projectReads(tenant, { project: await readProject(tenant, params.projectId), now }),
}));

export const update = handle(projects.update, async (call) => {
  const { tenant, params, body, now } = call;
  const { organizationId, ...input } = body;
  if (organizationId !== undefined) {
    if (Object.keys(input).length > 0)
      throw invalid('organizationId', 'moves the project and cannot be combined with other fields');
    const moved = await moveProject(call, { projectId: params.projectId, organizationId });
    // The move has committed its own transactions.
    return { data: projectData(moved), change: { writes: [], audit: [] } };
  }
  const { project, change } = updateProject(tenant, { project: await readProject(tenant, params.projectId), input, now });
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
    change: { writes: [...writes, ...endWithProject(call, { project, pitr, now })], audit },
  };
});
