import * as z from 'zod/mini';
import { invitableRoles } from '../access.ts';
import { apiPrefix, group } from '../endpoint.ts';
import { Email, Moment, noBody, ShownName } from '../fields.ts';
import { invitationsPerRecipient } from '../limits.ts';
import { Invitation } from '../models/invitation.ts';

const manage = { role: 'admin', scope: 'people-only' } as const;

const common = { id: true, email: true, role: true, status: true, expiresAt: true, createdAt: true } as const;

const mailLimit = `At most ${invitationsPerRecipient} invitation e-mails a day (UTC) can be sent to one address by one organization, and by one user in all their organizations; then the call answers 429 RATE_LIMITED until midnight UTC.`;

/** Invitations as managed by the organization. */
export const invites = group('invites', `${apiPrefix}/organizations/current/invites`, {
  create: {
    route: 'POST',
    access: manage,
    summary: 'Invite someone by e-mail',
    note: mailLimit,
    body: z.strictObject({ email: Email, role: z._default(z.enum(invitableRoles), 'member') }),
    data: z.pick(Invitation, { ...common, acceptUrl: true }),
    status: 201,
    location: `${apiPrefix}/organizations/current/invites`,
    audit: 'invitation.created',
    errors: ['INVITATION_EXISTS'],
    idempotent: true,
    requestsPerMinute: 300,
    capabilities: ['table:write', 'secret:service', 'link:make'],
  },
  list: {
    route: 'GET',
    access: manage,
    summary: 'List pending invitations',
    list: z.pick(Invitation, { ...common, invitedBy: true }),
    capabilities: ['table:read'],
  },
  cancel: {
    route: 'DELETE /{inviteId}',
    access: manage,
    summary: 'Cancel a pending invitation',
    audit: 'invitation.cancelled',
    errors: ['INVITATION_NOT_FOUND', 'CONFLICT'],
    capabilities: ['table:write'],
  },
  resend: {
    route: 'POST /{inviteId}/resend',
    access: manage,
    summary: 'Resend a pending invitation with a new link and expiry',
    note: mailLimit,
    ...noBody,
    data: z.pick(Invitation, { id: true, email: true, resentAt: true, expiresAt: true, acceptUrl: true }),
    audit: 'invitation.resent',
    errors: ['INVITATION_NOT_FOUND', 'CONFLICT'],
    idempotent: true,
    requestsPerMinute: 30,
    capabilities: ['table:write', 'secret:service', 'link:make'],
  },
});

/** Invitations as seen by the invited user. */
export const invitations = group('invitations', `${apiPrefix}/invitations`, {
  list: {
    route: 'GET',
    access: 'user',
    summary: 'List the pending invitations of the signed-in person',
    note: 'Those of the caller’s e-mail address, if the identity provider has verified it. None of organizations to which the caller belongs already.',
    list: z.object({
      id: z.string(),
      organization: z.object({ id: z.string(), name: ShownName }),
      email: z.string(),
      role: z.enum(invitableRoles),
      invitedBy: z.object({ id: z.string(), email: z.string() }),
      createdAt: Moment,
      expiresAt: Moment,
      token: z.string(),
    }),
    capabilities: ['table:read', 'secret:service'],
  },
  view: {
    route: 'GET /{token}',
    // The link is enough to view the invitation; accepting it requires the invited user.
    access: 'public',
    summary: 'View an invitation by its link',
    data: z.object({
      organization: z.object({ id: z.string(), name: ShownName }),
      email: z.string(),
      role: z.enum(invitableRoles),
      status: z.enum(['pending', 'accepted', 'cancelled', 'declined', 'expired']),
      invitedBy: z.object({ id: z.string(), email: z.string() }),
      expiresAt: Moment,
    }),
    errors: ['INVITATION_NOT_FOUND'],
    capabilities: ['table:read-only', 'secret:service'],
  },
  accept: {
    route: 'POST /{token}/accept',
    access: 'user',
    summary: 'Accept an invitation. The caller’s verified e-mail address must be the invited one',
    ...noBody,
    data: z.object({
      organization: z.object({ id: z.string(), name: ShownName }),
      role: z.enum(invitableRoles),
      joinedAt: Moment,
    }),
    audit: 'invitation.accepted',
    idempotent: true,
    errors: ['INVITATION_NOT_FOUND', 'CONFLICT', 'FORBIDDEN'],
    capabilities: ['table:write', 'secret:service'],
  },
  decline: {
    route: 'POST /{token}/decline',
    access: 'user',
    summary: 'Decline an invitation. The caller’s verified e-mail address must be the invited one',
    ...noBody,
    data: z.object({ organization: z.object({ id: z.string(), name: ShownName }), status: z.literal('declined') }),
    audit: 'invitation.declined',
    errors: ['INVITATION_NOT_FOUND', 'CONFLICT', 'FORBIDDEN'],
    capabilities: ['table:write', 'secret:service'],
  },
});
