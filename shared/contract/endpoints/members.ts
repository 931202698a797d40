import * as z from 'zod/mini';
import { roles } from '../access.ts';
import { apiPrefix, group } from '../endpoint.ts';
import { Moment } from '../fields.ts';
import { Member } from '../models/member.ts';

export const members = group('members', `${apiPrefix}/organizations/current/members`, {
  list: {
    route: 'GET',
    access: { role: 'admin', scope: 'people-only' },
    summary: 'List the members of the organization',
    list: Member,
    capabilities: ['table:read'],
  },
  update: {
    route: 'PUT /{userId}',
    access: { role: 'admin', scope: 'people-only' },
    summary:
      'Change the role of a member. The owner transfers ownership by making another member owner. Below admin, an API key they created ends',
    body: z.strictObject({ role: z.enum(roles) }),
    data: z.object({ userId: z.string(), role: z.enum(roles), updatedAt: Moment }),
    audit: 'member.role_changed',
    errors: ['MEMBER_NOT_FOUND', 'CANNOT_REMOVE_OWNER', 'CONFLICT'],
    capabilities: ['table:write'],
  },
  remove: {
    route: 'DELETE /{userId}',
    access: { role: 'admin', scope: 'people-only' },
    summary: 'Remove a member. Projects connected with their grant become unauthorized; an API key they created ends',
    audit: 'member.removed',
    errors: ['MEMBER_NOT_FOUND', 'CANNOT_REMOVE_OWNER', 'CONFLICT'],
    capabilities: ['table:write'],
  },
});
