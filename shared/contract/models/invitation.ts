import * as z from 'zod/mini';
import { invitableRoles } from '../access.ts';
import { Moment } from '../fields.ts';

export const Invitation = z.object({
  id: z.string(),
  email: z.string(),
  role: z.enum(invitableRoles),
  status: z.enum(['pending', 'accepted', 'cancelled', 'declined']),
  expiresAt: Moment,
  createdAt: Moment,
  invitedBy: z.object({ id: z.string(), email: z.string() }),
  acceptUrl: z.string(),
  resentAt: Moment,
});
