import * as z from 'zod/mini';
import { roles } from '../access.ts';
import { Moment, ShownName } from '../fields.ts';

export const Member = z.object({
  userId: z.string(),
  email: z.string(),
  name: ShownName,
  picture: z.nullable(z.string()),
  role: z.enum(roles),
  status: z.literal('active'),
  joinedAt: Moment,
  lastActiveAt: Moment,
});
