import { members } from '../../shared/contract/endpoints/members.ts';
import { handle } from '../../shared/http/index.ts';
import { changeRole, listMembers, readMember, removeMember, toMemberEvent } from '../../shared/organization/index.ts';

export const list = handle(members.list, async ({ tenant, page }) => {
  const { members: found, next } = await listMembers(tenant, page);
  return { items: found.map((one) => ({ ...toMemberEvent(one), lastActiveAt: one.lastActiveAt })), next };
});

export const update = handle(members.update, async (call) =>
  changeRole(call, await readMember(call.tenant, call.params.userId, call.actor.id), call.body.role, call.now),
);

export const remove = handle(members.remove, async (call) => {
  const { target } = await readMember(call.tenant, call.params.userId, call.actor.id);
  return { message: 'The member was removed', change: removeMember(call, target, call.now) };
});
