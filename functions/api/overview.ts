import { openIncidents } from '../../shared/alert/index.ts';
import { overview } from '../../shared/contract/endpoints/overview.ts';
import { handle } from '../../shared/http/index.ts';
import { readOverview, selectProjects } from '../../shared/overview/index.ts';

export const get = handle(overview.get, async ({ tenant, organization, query, page, now }) => {
  const { projects, ...whole } = await readOverview(tenant, { organization, incidents: await openIncidents(tenant), now });
  const { items, matching, next } = selectProjects(projects, query, page);
  return { data: { ...whole, matching, projects: items }, next };
});
