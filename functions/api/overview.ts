import { openIncidents } from '../../shared/alert/index.ts';
import { overview } from '../../shared/contract/endpoints/overview.ts';
import { handle } from '../../shared/http/index.ts';
import { readOverview } from '../../shared/overview/index.ts';

export const get = handle(overview.get, async ({ tenant, organization, now }) => ({
  data: await readOverview(tenant, { organization, incidents: await openIncidents(tenant), now }),
}));
