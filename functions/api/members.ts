import { members } from '../../shared/contract/endpoints/members.ts';
import { handle } from '../../shared/http/index.ts';
import {
  changeRole,
  keysGrantedBy,
  listMembers,
  readMember,
  readServiceAccountKey,
  toMemberEvent,
} from '../../shared/organization/index.ts';
import { endMembership } from '../../shared/project/index.ts';

export const list = handle(members.list, async ({ tenant, page }) => {
  const { members: found, next } = await listMembers(tenant, page);
  return { items: found.map((one) => ({ ...toMemberEvent(one), lastActiveAt: one.lastActiveAt })), next };
});

export const update = handle(members.update, async (call) => {
  const [found, serviceAccount, apiKeys] = await Promise.all([
    readMember(call.tenant, call.params.userId, call.actor.id),
    readServiceAccountKey(call.tenant),
    keysGrantedBy(call.tenant, call.params.userId),
  ]);
  return changeRole(call, { roleChange: { ...found, serviceAccount, apiKeys }, role: call.body.role, now: call.now });
});

export const remove = handle(members.remove, async (call) => ({
  message: 'The member was removed',
  change: await endMembership(call, call.params.userId, call.now),
}));
