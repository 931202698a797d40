import { members } from '../../shared/contract/endpoints/members.ts';
import { handle } from '../../shared/http/index.ts';
import { changeRole, listMembers, readMember, removeMember } from '../../shared/organization/index.ts';

export const list = handle(members.list, async ({ tenant, page }) => {
  const { members: found, next } = await listMembers(tenant, page);
  const items = found.map(({ member: { userId, role, joinedAt, address }, profile, lastActiveAt }) => ({
    userId,
    email: profile?.email ?? address,
    name: profile?.name ?? '',
    picture: profile?.picture ?? null,
    role,
    status: 'active' as const,
    joinedAt,
    lastActiveAt,
  }));
  return { items, next };
});

export const update = handle(members.update, async (call) =>
  changeRole(call, await readMember(call.tenant, call.params.userId, call.actor.id), call.body.role, call.now),
);

export const remove = handle(members.remove, async (call) => {
  const { target } = await readMember(call.tenant, call.params.userId, call.actor.id);
  return { message: 'The member was removed', change: removeMember(call, target, call.now) };
});
