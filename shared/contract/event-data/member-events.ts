import * as z from 'zod/mini';
import { roles } from '../access.ts';
import { Member } from '../models/member.ts';
import { organization, project } from './fields.ts';

const member = z.extend(z.omit(Member, { lastActiveAt: true }), { status: z.enum(['active', 'left']) });

export const memberEvents = {
  'member.joined': z.object({ organization, member }),
  'member.left': z.object({
    organization,
    member,
    projects: z._default(z.array(z.extend(project, { status: z.literal('unauthorized') })), []),
    projectCount: z._default(z.int().check(z.minimum(0)), 0),
    serviceAccount: z._default(z.nullable(z.object({ id: z.string(), name: z.string() })), null),
  }),
  'member.role_changed': z.object({ organization, member: z.extend(member, { previousRole: z.enum(roles) }) }),
};
