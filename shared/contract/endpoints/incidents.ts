import * as z from 'zod/mini';
import { apiPrefix, group } from '../endpoint.ts';
import { id, Moment, text } from '../fields.ts';
import { IncidentWithTimeline } from '../models/alert.ts';

/** A person takes responsibility: a key cannot. */
const take = { role: 'member', scope: 'people-only' } as const;

/** One incident. Their list is a row of alerts: a deployed route cannot change its function's name without an outage. */
export const incidents = group('incidents', `${apiPrefix}/alerts/incidents`, {
  get: {
    route: 'GET /{incidentId}',
    access: { role: 'viewer', scope: 'organization:read', projects: 'named' },
    summary: 'Get an incident and its timeline',
    data: IncidentWithTimeline,
    errors: ['INCIDENT_NOT_FOUND'],
    capabilities: ['table:read'],
  },
  acknowledge: {
    route: 'POST /{incidentId}/acknowledge',
    access: take,
    summary: 'Acknowledge an open incident: further messages say by whom. It stays open until it recovers',
    note: 'A further call replaces the note; 409 once it has recovered.',
    body: z.strictObject({ note: z.optional(text(1_000)) }),
    bodyOptional: true,
    data: IncidentWithTimeline,
    audit: 'incident.acknowledged',
    errors: ['INCIDENT_NOT_FOUND', 'CONFLICT'],
    capabilities: ['table:write'],
  },
  update: {
    route: 'PATCH /{incidentId}',
    access: take,
    summary:
      'Assign an open incident to a member, or mute it for a time; only the given fields change. 409 once it has recovered',
    body: z.strictObject({
      assigneeId: z.optional(z.nullable(id('user'))),
      mutedUntil: z.optional(z.nullable(Moment)),
    }),
    data: IncidentWithTimeline,
    audit: 'incident.assigned',
    errors: ['INCIDENT_NOT_FOUND', 'MEMBER_NOT_FOUND', 'CONFLICT'],
    capabilities: ['table:write'],
  },
});
