/** The invitations that can still be accepted, newest first. */
import { type Tenant, takePage, walk } from '../../platform/index.ts';
import { type InvitationRecord, invitationPrefix } from '../model/record.ts';
import { isOpen } from './invite.ts';

/** Extra items per read: ended and expired invitations lie between the open ones for a while. */
const slack = 100;

export const listInvitations = (
  tenant: Tenant,
  page: { readonly limit: number; readonly after: string | undefined },
  now: Date,
): Promise<{ items: readonly InvitationRecord[]; next: string | undefined }> => {
  const range = { pk: `ORG#${tenant.organizationId}`, prefix: invitationPrefix, newestFirst: true };
  return takePage(open(walk<InvitationRecord>({ ...range, after: page.after, limit: page.limit + 1 + slack }), now), page.limit);
};

async function* open(items: AsyncIterable<InvitationRecord>, now: Date): AsyncGenerator<InvitationRecord> {
  for await (const item of items) if (isOpen(item, now)) yield item;
}
