/** The catalogue of events: every name the service can emit, with the shape of its `data`. */
import * as z from 'zod';
import { invitableRoles, roles } from './access.ts';
import { Moment } from './fields.ts';

const organization = z.object({ id: z.string(), name: z.string() });
const member = z.object({ userId: z.string(), email: z.string(), name: z.string(), role: z.enum(roles) });
const invitation = z.object({
  id: z.string(),
  email: z.string(),
  role: z.enum(invitableRoles),
  status: z.string(),
  expiresAt: Moment,
});

export const events = {
  'organization.created': z.object({
    organization: organization.extend({ slug: z.string(), ownerId: z.string(), createdAt: Moment }),
  }),
  'organization.updated': z.object({
    organization: organization.extend({
      settings: z.object({ timezone: z.string(), defaultStorageId: z.string().nullable() }),
      updatedAt: Moment,
    }),
  }),
  'organization.deleted': z.object({
    organization: organization.extend({ deletionType: z.enum(['soft', 'permanent']), recoveryDeadline: Moment.nullable() }),
  }),
  'member.joined': z.object({ organization, member }),
  'member.left': z.object({ organization, member }),
  'member.role_changed': z.object({ organization, member: member.extend({ previousRole: z.enum(roles) }) }),
  'invitation.created': z.object({ organization, invitation }),
  'invitation.accepted': z.object({ organization, invitation }),
} as const;

export type EventName = keyof typeof events;
export type EventData<N extends EventName> = z.input<(typeof events)[N]>;
