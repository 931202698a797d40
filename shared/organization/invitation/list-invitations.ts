/** The invitations that can still be accepted, newest first. */
import { type Item, type Tenant, takePage, walk } from '../../platform/index.ts';
import { type InvitationRecord, invitationPrefix } from '../model/record.ts';
import { isOpen } from './invite.ts';

/** Ended and expired invitations lie between the open ones for a while; this many are looked past before another read. */
const slack = 100;

export const listInvitations = (
  tenant: Tenant,
  page: { readonly limit: number; readonly after: string | undefined },
  now: Date,
): Promise<{ items: readonly InvitationRecord[]; next: string | undefined }> => {
  const range = { pk: `ORG#${tenant.organizationId}`, prefix: invitationPrefix, newestFirst: true };
  return takePage(open(walk({ ...range, after: page.after, limit: page.limit + 1 + slack }), now), page.limit);
};

async function* open(items: AsyncIterable<Item>, now: Date): AsyncGenerator<InvitationRecord> {
  for await (const item of items as AsyncIterable<InvitationRecord>) if (isOpen(item, now)) yield item;
}
