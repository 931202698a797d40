import { issueAccessToken, readUser, type UserRecord } from '../account/index.ts';
import type { Actor } from '../audit/index.ts';
import { organizationIdsOf } from './list-organizations.ts';

export interface SignedInUser {
  readonly user: UserRecord;
  readonly actor: Actor;
  readonly organizationIds: readonly string[];
}

/** The user of a session and the ids of the user's organizations, read concurrently. */
export const readSignedInUser = async (userId: string): Promise<SignedInUser> => {
  const [user, organizationIds] = await Promise.all([readUser(userId), organizationIdsOf(userId)]);
  return { user, organizationIds, actor: { type: 'user', id: userId, email: user.email } };
};

export const accessTokenFor = ({ user, organizationIds }: SignedInUser, sessionId: string, now: Date): Promise<string> =>
  issueAccessToken({ userId: user.id, sessionId, email: user.email, name: user.name }, organizationIds, now);
