import { apiPrefix, group } from '../endpoint.ts';
import { Overview } from '../models/overview.ts';

export const overview = group('overview', `${apiPrefix}/overview`, {
  get: {
    route: 'GET',
    access: { role: 'viewer', scope: 'organization:read', projects: 'organization' },
    summary: 'Whether each project is protected now, what needs attention first, recent failures, and 30 days of history',
    data: Overview,
    // A call reads up to 6 MB of the table.
    requestsPerMinute: 60,
    capabilities: ['table:read'],
  },
});
