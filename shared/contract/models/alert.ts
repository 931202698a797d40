/** Alerts, their deliveries and incidents in requests and responses. */
import * as z from 'zod';
import { Email, id, Moment, Name } from '../fields.ts';
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
  incidentStatuses,
  messageStates,
  recipientGroups,
  subjectTypes,
} from './alert-enums.ts';
import { Creator } from './backup.ts';
import { deliveryStatuses, disabledReasons } from './webhook-enums.ts';

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
          .min(1, recipientsReason)
          .max(alertRecipientsMax, `must have at most ${alertRecipientsMax} addresses`),
      ],
      recipientsReason,
    )
    .meta({ examples: ['owners', ['ada@example.com']] }),
  url: z
    .string('must be a valid HTTPS URL')
    .max(webhookUrlMax, `must be at most ${webhookUrlMax} characters`)
    .meta({ format: 'uri', examples: ['https://hooks.slack.com/services/T00000000/B00000000/XXXXXXXXXXXXXXXXXXXXXXXX'] }),
  routingKey: z
    .string('must be the integration key of a PagerDuty service')
    .regex(/^[A-Za-z0-9_-]{32}$/, 'must be the integration key of a PagerDuty service: 32 letters and digits')
    .meta({ examples: ['0123456789abcdef0123456789abcdef'] }),
  severity: z.enum(alertSeverities),
  projectIds: z.array(id('project')).max(alertProjectsMax, `must have at most ${alertProjectsMax} entries`),
  kinds: z.array(z.enum(alertKinds)).max(alertKinds.length, `must have at most ${alertKinds.length} entries`),
  lapsedAfterHours: z
    .int(lapsedRange)
    .min(lapsedAfterHoursMin, lapsedRange)
    .max(lapsedAfterHoursMax, lapsedRange)
    .meta({ examples: [lapsedAfterHours] }),
  digest: yesOrNo,
  enabled: yesOrNo,
};

export const AlertDelivery = z.object({
  id: z.string(),
  incidentId: z.string().nullable(),
  state: z.enum(messageStates),
  kind: z.enum(alertKinds).nullable(),
  title: z.string(),
  status: z.enum(deliveryStatuses),
  statusCode: z.int().nullable(),
  response: z.string().nullable(),
  createdAt: Moment,
  duration: z.int().nullable(),
  attempts: z.int(),
  lastError: z.string().optional(),
  lastAttemptAt: Moment.nullable(),
  nextAttemptAt: Moment.nullable(),
});

export const LastDelivery = z.object({
  id: z.string(),
  state: z.enum(messageStates),
  status: z.enum(['delivered', 'failed']),
  at: Moment,
  error: z.string().nullable(),
});

export const Alert = z.object({
  id: z.string(),
  name: z.string(),
  channel: z.enum(alertChannels),
  recipients: z.union([z.enum(recipientGroups), z.array(z.string())]).nullable(),
  url: z.string().nullable(),
  routingKey: z.string().nullable(),
  severity: z.enum(alertSeverities),
  projectIds: z.array(z.string()),
  kinds: z.array(z.enum(alertKinds)),
  lapsedAfterHours: z.int(),
  digest: z.boolean(),
  enabled: z.boolean(),
  status: z.enum(alertStatuses),
  disabledReason: z.enum(disabledReasons).nullable(),
  lastDelivery: LastDelivery.nullable(),
  failingSince: Moment.nullable(),
  failureCount: z.int(),
  isDefault: z.boolean(),
  createdBy: Creator,
  createdAt: Moment,
  updatedAt: Moment,
});

export const AlertTest = z.object({
  alertId: z.string(),
  alertName: z.string(),
  channel: z.enum(alertChannels),
  success: z.boolean(),
  statusCode: z.int().nullable(),
  response: z.string().nullable(),
  error: z.string().optional(),
  recipients: z.array(z.string()).nullable(),
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
  project: z.object({ id: z.string(), name: z.string() }).nullable(),
  subject: z.object({ type: z.enum(subjectTypes), id: z.string(), name: z.string().nullable() }),
  count: z.int(),
  openedAt: Moment,
  lastFailureAt: Moment,
  recoveredAt: Moment.nullable(),
  alertIds: z.array(z.string()),
});
