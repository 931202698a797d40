/** Alerts, their deliveries and incidents in requests and responses. */
import * as z from 'zod/mini';
import { Email, id, Moment, Name, ShownName } from '../fields.ts';
import {
  alertProjectsMax,
  alertRecipientsMax,
  lapsedAfterHours,
  lapsedAfterHoursMax,
  lapsedAfterHoursMin,
  webhookUrlMax,
} from '../limits.ts';
import {
  alertChannels,
  alertKinds,
  alertSeverities,
  alertStatuses,
  incidentEntryTypes,
  incidentStatuses,
  messageStates,
  recipientGroups,
  subjectTypes,
} from './alert-enums.ts';
import { Creator } from './job.ts';
import { attemptStatuses, disabledReasons } from './webhook-enums.ts';

const yesOrNo = z.boolean('must be true or false');
const lapsedRange = `must be a whole number of hours from ${lapsedAfterHoursMin} to ${lapsedAfterHoursMax}`;
const recipientsReason = `must be owners, admins, or a list of 1 to ${alertRecipientsMax} e-mail addresses`;

/** shared/alert/api/alert-input.ts checks which fields a channel has, the URL's address and the projects. */
export const alertFields = {
  name: Name,
  channel: z.enum(alertChannels),
  recipients: z
    .union(
      [
        z.enum(recipientGroups),
        z
          .array(Email, recipientsReason)
          .check(
            z.minLength(1, recipientsReason),
            z.maxLength(alertRecipientsMax, `must have at most ${alertRecipientsMax} addresses`),
          ),
      ],
      recipientsReason,
    )
    .check(z.meta({ examples: ['owners', ['ada@example.com']] })),
  url: z
    .string('must be a valid HTTPS URL')
    .check(
      z.maxLength(webhookUrlMax, `must be at most ${webhookUrlMax} characters`),
      z.meta({ format: 'uri', examples: ['https://hooks.slack.com/services/T00000000/B00000000/XXXXXXXXXXXXXXXXXXXXXXXX'] }),
    ),
  routingKey: z
    .string('must be the integration key of a PagerDuty service')
    .check(
      z.regex(/^[A-Za-z0-9_-]{32}$/, 'must be the integration key of a PagerDuty service: 32 letters and digits'),
      z.meta({ examples: ['0123456789abcdef0123456789abcdef'] }),
    ),
  severity: z.enum(alertSeverities),
  projectIds: z.array(id('project')).check(z.maxLength(alertProjectsMax, `must have at most ${alertProjectsMax} entries`)),
  kinds: z.array(z.enum(alertKinds)).check(z.maxLength(alertKinds.length, `must have at most ${alertKinds.length} entries`)),
  lapsedAfterHours: z
    .int(lapsedRange)
    .check(
      z.minimum(lapsedAfterHoursMin, lapsedRange),
      z.maximum(lapsedAfterHoursMax, lapsedRange),
      z.meta({ examples: [lapsedAfterHours] }),
    ),
  digest: yesOrNo,
  enabled: yesOrNo,
};

export const AlertDelivery = z.object({
  id: z.string(),
  incidentId: z.nullable(z.string()),
  state: z.enum(messageStates),
  kind: z.nullable(z.enum(alertKinds)),
  title: z.string(),
  status: z.enum(attemptStatuses),
  statusCode: z.nullable(z.int()),
  response: z.nullable(z.string()),
  createdAt: Moment,
  duration: z.nullable(z.int()),
  attempts: z.int(),
  lastError: z.optional(z.string()),
  lastAttemptAt: z.nullable(Moment),
  nextAttemptAt: z.nullable(Moment),
});

export const LastDelivery = z.object({
  id: z.string(),
  state: z.enum(messageStates),
  status: z.enum(['delivered', 'failed']),
  at: Moment,
  error: z.nullable(z.string()),
});

export const Alert = z.object({
  id: z.string(),
  name: ShownName,
  channel: z.enum(alertChannels),
  recipients: z.nullable(z.union([z.enum(recipientGroups), z.array(z.string())])),
  url: z.nullable(z.string()),
  routingKey: z.nullable(z.string()),
  severity: z.enum(alertSeverities),
  projectIds: z.array(z.string()),
  kinds: z.array(z.enum(alertKinds)),
  lapsedAfterHours: z.int(),
  digest: z.boolean(),
  enabled: z.boolean(),
  status: z.enum(alertStatuses),
  disabledReason: z.nullable(z.enum(disabledReasons)),
  lastDelivery: z.nullable(LastDelivery),
  failingSince: z.nullable(Moment),
  failureCount: z.int(),
  isDefault: z.boolean(),
  createdBy: Creator,
  createdAt: Moment,
  updatedAt: Moment,
});

export const AlertTest = z.object({
  alertId: z.string(),
  alertName: ShownName,
  channel: z.enum(alertChannels),
  success: z.boolean(),
  statusCode: z.nullable(z.int()),
  response: z.nullable(z.string()),
  error: z.optional(z.string()),
  recipients: z.nullable(z.array(z.string())),
  duration: z.int(),
  deliveryId: z.string(),
});

export const Incident = z.object({
  id: z.string(),
  kind: z.enum(alertKinds),
  severity: z.enum(alertSeverities),
  status: z.enum(incidentStatuses),
  title: z.string(),
  message: z.string(),
  project: z.nullable(z.object({ id: z.string(), name: ShownName })),
  subject: z.object({ type: z.enum(subjectTypes), id: z.string(), name: z.nullable(ShownName) }),
  count: z.int(),
  openedAt: Moment,
  lastFailureAt: Moment,
  recoveredAt: z.nullable(Moment),
  alertIds: z.array(z.string()),
  page: z.string(),
  acknowledgement: z.nullable(z.object({ by: Creator, at: Moment, note: z.nullable(z.string()) })),
  assignee: z.nullable(z.object({ id: z.string(), email: z.string(), name: ShownName })),
  mutedUntil: z.nullable(Moment),
});

export const IncidentEntry = z.object({
  at: Moment,
  type: z.enum(incidentEntryTypes),
  by: z.nullable(Creator),
  message: z.nullable(z.string()),
});

export const IncidentWithTimeline = z.extend(Incident, { timeline: z.array(IncidentEntry) });
