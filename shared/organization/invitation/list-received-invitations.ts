/** The invitations that a person can accept, whether or not they have the link of the e-mail. */
import type { UserRecord } from '../../account/index.ts';
import { comparableEmail } from '../../contract/comparable-email.ts';
import { getAll, query, takePage } from '../../platform/index.ts';
import {
  type InvitationRecord,
  type InvitedRecord,
  invitedPartition,
  lookup,
  type MemberRecord,
  membershipPrefix,
  type OrganizationRecord,
} from '../model/record.ts';
import { invitationToken } from './invitation-token.ts';
import { isOpen } from './invite.ts';

interface ReceivedInvitation extends InvitationRecord {
  readonly organization: OrganizationRecord;
  /** Opens the invitation, as the link of its e-mail does. */
  readonly token: string;
}

interface Page {
  readonly limit: number;
  readonly after: string | undefined;
}

/**
 * Only those of the verified address of the person: an address that the identity provider has not verified may belong to another person.
 * None of an organization to which the person belongs already.
 */
export const listReceivedInvitations = (
  user: Pick<UserRecord, 'id' | 'email' | 'emailVerified'>,
  page: Page,
  now: Date,
): Promise<{ items: readonly ReceivedInvitation[]; next: string | undefined }> => takePage(received(user, page, now), page.limit);

async function* received(
  { id: userId, email, emailVerified }: Parameters<typeof listReceivedInvitations>[0],
  page: Page,
  now: Date,
) {
  const address = comparableEmail(email);
  if (!emailVerified || address === undefined) return;
  let { after } = page;
  do {
    const range = { pk: invitedPartition(address), prefix: membershipPrefix, after, limit: page.limit + 1 };
    const links = await query<InvitedRecord>(range);
    for (const [sk, found] of await readLinked(links.items, userId)) {
      const [organization, invitation, member] = found;
      if (!organization || organization.deletedAt || member || !invitation || !isOpen(invitation, now)) continue;
      const { id: invitationId, expiresAt } = invitation;
      const token = await invitationToken({ organizationId: organization.id, invitationId, expiresAt });
      yield { ...invitation, organization, token, sk };
    }
    after = links.next;
  } while (after !== undefined);
}

type Linked = readonly [OrganizationRecord?, InvitationRecord?, MemberRecord?];

/** What the links lead to, by their sort key, in one round trip. */
const readLinked = async (links: readonly InvitedRecord[], userId: string): Promise<readonly (readonly [string, Linked])[]> => {
  const items = await getAll(
    links.flatMap(({ sk, invitationId }) => {
      const organizationId = sk.slice(membershipPrefix.length);
      return [
        lookup.organization(organizationId),
        lookup.invitation(organizationId, invitationId),
        lookup.member(organizationId, userId),
      ];
    }),
  );
  return links.map(({ sk }, position) => [sk, items.slice(position * 3, position * 3 + 3) as unknown as Linked]);
};
