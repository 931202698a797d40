/**
 * The secret half of an invitation link. It is not stored: it is derived from the invitation and its expiry, so the table
 * holds nothing that opens a link, and a new expiry ends every earlier link.
 */
import { timingSafeEqual } from 'node:crypto';
import { apiPrefix } from '../../contract/endpoint.ts';
import { idPrefixes, isId } from '../../contract/ids.ts';
import { env, sign } from '../../platform/index.ts';

/** What a link stands for. */
export interface InvitationLink {
  readonly organizationId: string;
  readonly invitationId: string;
  readonly expiresAt: string;
}

/** `<ULID of the organization>.<ULID of the invitation>.<signature>`: letters that need no escaping in an address. */
export const invitationToken = async ({ organizationId, invitationId, expiresAt }: InvitationLink): Promise<string> => {
  const signature = await sign('invitation', [organizationId, invitationId, expiresAt].join('|'));
  return [bare(organizationId), bare(invitationId), signature.toString('base64url')].join('.');
};

/** The link the e-mail carries and the answers show. */
export const acceptUrl = async (offer: InvitationLink): Promise<string> =>
  `${env('PUBLIC_URL')}${apiPrefix}/invitations/${await invitationToken(offer)}`;

/** The ids a token names, or undefined if it cannot be one of ours. Says nothing about whether it is. */
export const readToken = (token: string): Omit<InvitationLink, 'expiresAt'> | undefined => {
  const [organization = '', invitation = '', signature, ...more] = token.split('.');
  const organizationId = `${idPrefixes.organization}_${organization}`;
  const invitationId = `${idPrefixes.invitation}_${invitation}`;
  if (!signature || more.length > 0 || !isId('organization', organizationId) || !isId('invitation', invitationId))
    return undefined;
  return { organizationId, invitationId };
};

/** Compared as text, in constant time: other spellings of the same bytes are other tokens. */
export const isTokenOf = async (token: string, offer: InvitationLink): Promise<boolean> => {
  const given = Buffer.from(token);
  const expected = Buffer.from(await invitationToken(offer));
  return given.length === expected.length && timingSafeEqual(given, expected);
};

const bare = (id: string): string => id.slice(id.indexOf('_') + 1);
