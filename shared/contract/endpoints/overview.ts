import * as z from 'zod/mini';
import { apiPrefix, group } from '../endpoint.ts';
import { text } from '../fields.ts';
import { LabelSelector } from '../labels.ts';
import { Overview } from '../models/overview.ts';
import { projectSorts, protections } from '../protections.ts';

type Sort = (typeof projectSorts)[number];
const sorts = projectSorts.flatMap((sort): readonly (Sort | `-${Sort}`)[] => [sort, `-${sort}`]);
const searchMax = 100;

export const overview = group('overview', `${apiPrefix}/overview`, {
  get: {
    route: 'GET',
    access: { role: 'viewer', scope: 'organization:read', projects: 'organization' },
    summary:
      'Whether each project is protected now, what needs attention first, recent failures, and 30 days of history. Totals are of all projects; the projects are searched, filtered, sorted and paged',
    query: z.strictObject({
      search: z.optional(text(searchMax)),
      protection: z.optional(z.enum(protections, `must be one of ${protections.join(', ')}`)),
      label: z.optional(LabelSelector),
      sort: z._default(
        z.enum(sorts, `must be one of ${projectSorts.join(', ')}, with - before it for the reverse`),
        'protection',
      ),
    }),
    data: Overview,
    paged: true,
    // A call reads up to 6 MB of jobs, and all projects and schedules.
    requestsPerMinute: 60,
    capabilities: ['table:read'],
  },
});
