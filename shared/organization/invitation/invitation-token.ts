/**
 * The token of an invitation link. It is not stored but derived from the invitation and its expiry: the table contains nothing that
 * opens a link, and a new expiry invalidates earlier links.
 */
import { timingSafeEqual } from 'node:crypto';
import { idPrefixes, isId } from '../../contract/ids.ts';
import { env, sign } from '../../platform/index.ts';

interface InvitationLink {
  readonly organizationId: string;
  readonly invitationId: string;
  readonly expiresAt: string;
}

/** `<ULID of the organization>.<ULID of the invitation>.<signature>`: needs no escaping in a URL. */
export const invitationToken = async ({ organizationId, invitationId, expiresAt }: InvitationLink): Promise<string> => {
  const signature = await sign('invitation', [organizationId, invitationId, expiresAt].join('|'));
  return [bare(organizationId), bare(invitationId), signature.toString('base64url')].join('.');
};

/** The page of the console that shows the invitation. */
export const acceptUrl = async (link: InvitationLink): Promise<string> =>
  `${env('CONSOLE_URL').replace(/\/$/, '')}/invitations/${await invitationToken(link)}`;

/** The ids in a token; undefined if it is malformed. Does not verify it. */
export const readToken = (token: string): Omit<InvitationLink, 'expiresAt'> | undefined => {
  const [organization = '', invitation = '', signature, ...more] = token.split('.');
  const organizationId = `${idPrefixes.organization}_${organization}`;
  const invitationId = `${idPrefixes.invitation}_${invitation}`;
  if (!signature || more.length > 0 || !isId('organization', organizationId) || !isId('invitation', invitationId))
    return undefined;
  return { organizationId, invitationId };
};

/** Compares the text in constant time: another encoding of the same bytes is not accepted. */
export const isTokenOf = async (token: string, link: InvitationLink): Promise<boolean> => {
  const given = Buffer.from(token);
  const expected = Buffer.from(await invitationToken(link));
  return given.length === expected.length && timingSafeEqual(given, expected);
};

const bare = (id: string): string => id.slice(id.indexOf('_') + 1);
