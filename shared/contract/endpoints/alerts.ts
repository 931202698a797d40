import * as z from 'zod/mini';
import { apiPrefix, group } from '../endpoint.ts';
import { id, noBody } from '../fields.ts';
import { lapsedAfterHours, outsideShare } from '../limits.ts';
import { Alert, AlertDelivery, AlertTest, alertFields, Incident } from '../models/alert.ts';
import { AlertDigest } from '../models/alert-digest.ts';
import { alertKinds, incidentStatuses } from '../models/alert-enums.ts';
import { attemptStatuses } from '../models/webhook-enums.ts';

const read = { role: 'viewer', scope: 'organization:read', projects: 'organization' } as const;
const manage = { role: 'admin', scope: 'organization:write', projects: 'organization' } as const;
const saves = ['table:write', 'alert:seal'] as const;

export const alerts = group('alerts', `${apiPrefix}/alerts`, {
  create: {
    route: 'POST',
    access: manage,
    summary: 'Create an alert: a channel that reports incidents by e-mail, Slack, Teams, Discord or PagerDuty',
    body: z.strictObject({
      ...alertFields,
      recipients: z.optional(alertFields.recipients),
      url: z.optional(alertFields.url),
      routingKey: z.optional(alertFields.routingKey),
      severity: z._default(alertFields.severity, 'warning'),
      projectIds: z._default(alertFields.projectIds, []),
      kinds: z._default(alertFields.kinds, []),
      lapsedAfterHours: z._default(alertFields.lapsedAfterHours, lapsedAfterHours),
      digest: z.optional(alertFields.digest),
      enabled: z._default(alertFields.enabled, true),
    }),
    data: Alert,
    status: 201,
    location: `${apiPrefix}/alerts/{id}`,
    audit: 'alert.created',
    errors: ['CONFLICT'],
    idempotent: true,
    capabilities: [...saves],
  },
  list: {
    route: 'GET',
    access: read,
    summary: 'List alerts, newest first. Every organization starts with one: e-mails to its owners',
    list: Alert,
    // An organization from before alerts existed gets its default alert with the first call.
    capabilities: ['table:write'],
  },
  incidents: {
    route: 'GET /incidents',
    access: { ...read, projects: 'listed' },
    summary: 'List incidents, newest first: all that are open, and those that recovered within 90 days',
    query: z.strictObject({
      status: z.optional(z.enum(incidentStatuses)),
      kind: z.optional(z.enum(alertKinds)),
      projectId: z.optional(id('project')),
    }),
    list: Incident,
    capabilities: ['table:read'],
  },
  digest: {
    route: 'GET /digest',
    access: read,
    summary: 'Preview the weekly digest: the organization as it is now, and the last seven whole days (UTC)',
    data: AlertDigest,
    // A call reads as much of the table as the overview does.
    requestsPerMinute: 60,
    capabilities: ['table:read', 'link:make'],
  },
  get: {
    route: 'GET /{alertId}',
    access: read,
    summary: 'Get an alert; its URL and its routing key are masked',
    data: Alert,
    errors: ['ALERT_NOT_FOUND'],
    capabilities: ['table:read'],
  },
  update: {
    route: 'PATCH /{alertId}',
    access: manage,
    summary: 'Update an alert; only the given fields change. Enabling it clears its failures',
    body: z.strictObject(z.partial(z.object(alertFields)).shape),
    data: Alert,
    audit: 'alert.updated',
    errors: ['ALERT_NOT_FOUND'],
    capabilities: [...saves],
  },
  remove: {
    route: 'DELETE /{alertId}',
    access: manage,
    summary: 'Delete an alert; pending messages are not sent. A deleted default alert is not created again',
    audit: 'alert.deleted',
    errors: ['ALERT_NOT_FOUND'],
    capabilities: ['table:write'],
  },
  test: {
    route: 'POST /{alertId}/test',
    access: manage,
    summary: 'Send a test message immediately, even if the alert is disabled, and return what the provider answered',
    ...noBody,
    data: AlertTest,
    audit: 'alert.tested',
    errors: ['ALERT_NOT_FOUND'],
    outboundShare: outsideShare,
    capabilities: ['table:write', 'alert:send', 'mail:send', 'link:make'],
  },
  deliveries: {
    route: 'GET /{alertId}/deliveries',
    access: read,
    summary: 'List messages of the last 30 days, newest first',
    query: z.strictObject({ status: z.optional(z.enum(attemptStatuses)) }),
    data: z.object({ deliveries: z.array(AlertDelivery) }),
    paged: true,
    errors: ['ALERT_NOT_FOUND'],
    capabilities: ['table:read'],
  },
  retry: {
    route: 'POST /{alertId}/deliveries/{deliveryId}/retry',
    access: manage,
    summary: 'Send a message that has ended, failed or delivered, once more under the same id',
    ...noBody,
    data: z.object({ deliveryId: z.string(), status: z.enum(attemptStatuses) }),
    status: 202,
    location: `${apiPrefix}/alerts/{alertId}/deliveries`,
    audit: 'alert.delivery_retried',
    errors: ['ALERT_NOT_FOUND', 'DELIVERY_NOT_FOUND', 'CONFLICT'],
    outboundShare: outsideShare,
    idempotent: true,
    capabilities: ['table:write'],
  },
});
