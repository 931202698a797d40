/** Where people, their sessions and their sign-in attempts are kept. Nothing secret is kept, only fingerprints. */
import type { Item, Key } from '../platform/index.ts';
import { fingerprint } from '../platform/index.ts';

/** A person, known by issuer and subject; the e-mail address is only what the provider last said. */
export interface UserRecord extends Item {
  readonly id: string;
  readonly email: string;
  readonly emailVerified: boolean;
  readonly name: string;
  readonly picture: string | null;
  readonly createdAt: string;
  readonly updatedAt: string;
}

/** The provider's refresh token, sealed for this user alone, and what it allows. */
export interface GrantRecord extends Item {
  readonly sealed: Uint8Array;
  readonly scopes: readonly string[];
  readonly updatedAt: string;
}

/** One sign-in and all the tokens that descend from it. Ending it ends them all. */
export interface SessionRecord extends Item {
  readonly id: string;
  readonly userId: string;
  readonly createdAt: string;
  /** Epoch seconds after which no refresh can prolong it. */
  readonly endsAt: number;
  readonly revokedAt?: string;
}

/** A refresh token by its fingerprint. It stays after use, so that a second use is recognised. */
export interface RefreshRecord extends Item {
  readonly expiresAt: number;
  readonly usedAt?: string;
}

/** A sign-in under way: made when the browser leaves for the provider, gone when it comes back. */
export interface LoginRecord extends Item {
  readonly redirectUri?: string;
  readonly expiresAt: number;
}

/** Our one-time code. It stays after use with the session it opened, so that a replay can end that session. */
export interface CodeRecord extends Item {
  readonly userId: string;
  readonly expiresAt: number;
  readonly sessionId?: string;
}

export const accountKey = {
  user: (userId: string): Key<UserRecord> => ({ pk: `USER#${userId}`, sk: 'PROFILE' }),
  grant: (userId: string): Key<GrantRecord> => ({ pk: `USER#${userId}`, sk: 'GRANT' }),
  identity: (issuer: string, subject: string): Key => ({
    pk: `IDENTITY#${fingerprint(`${issuer}\n${subject}`)}`,
    sk: 'IDENTITY',
  }),
  session: (sessionId: string): Key<SessionRecord> => ({ pk: `SESSION#${sessionId}`, sk: 'SESSION' }),
  refresh: (sessionId: string, secret: string): Key<RefreshRecord> => ({
    pk: `SESSION#${sessionId}`,
    sk: `REFRESH#${fingerprint(secret)}`,
  }),
  login: (state: string): Key<LoginRecord> => ({ pk: `LOGIN#${fingerprint(state)}`, sk: 'LOGIN' }),
  code: (code: string): Key<CodeRecord> => ({ pk: `CODE#${fingerprint(code)}`, sk: 'CODE' }),
};
