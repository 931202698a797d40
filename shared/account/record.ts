/** Items of users, sessions and sign-ins. Tokens and codes are stored only as fingerprints. */
import type { SessionKind } from '../contract/endpoints/auth.ts';
import type { Item, Key } from '../platform/index.ts';
import { fingerprint } from '../platform/index.ts';

/** A user, identified by issuer and subject. The e-mail address is the one the provider last gave. */
export interface UserRecord extends Item {
  readonly id: string;
  readonly email: string;
  readonly emailVerified: boolean;
  readonly name: string;
  readonly picture: string | null;
  readonly createdAt: string;
  readonly updatedAt: string;
}

/** The provider's refresh token, encrypted for this user, and its scopes. */
export interface GrantRecord extends Item {
  readonly sealed: Uint8Array;
  readonly scopes: readonly string[];
  readonly updatedAt: string;
}

/** One sign-in. Revoking it revokes all of its tokens. */
export interface SessionRecord extends Item {
  readonly id: string;
  readonly userId: string;
  readonly createdAt: string;
  /** When the code was issued, or the device approved, that opened it. Absent if the person signed in directly. */
  readonly grantedAt?: string;
  /** The session in which a person approved this device. */
  readonly approvedBy?: { readonly id: string; readonly createdAt: string };
  /** Epoch seconds after which it cannot be refreshed. */
  readonly endsAt: number;
  /** Its tokens are cookies of a browser that signed in to the console. */
  readonly isBrowser?: true;
  /** Absent in sessions of versions that did not list them. */
  readonly kind?: SessionKind;
  /** What a device calls itself, or the host that an application redirects to. */
  readonly name?: string | null;
  readonly revokedAt?: string;
}

/** The last use of a session, at most once a minute. It is what lists find a session by, so its first use lists an old one, too. */
export interface SessionUseRecord extends Item {
  readonly at: string;
  readonly ip: string | null;
  readonly location: string | null;
  readonly userAgent: string | null;
}

/** Ends all sessions that were created or granted until then, listed or not, with one write. `revokedAt` never decreases. */
export interface RevokedSessionsRecord extends Item {
  readonly revokedAt: string;
  readonly exceptSessionId: string | null;
}

/** A refresh token by its fingerprint. Kept after use, to detect a second use. */
export interface RefreshRecord extends Item {
  readonly expiresAt: number;
  readonly usedAt?: string;
}

/** A sign-in in progress: from the redirect to the provider until the callback. */
export interface LoginRecord extends Item {
  readonly app?: AppRequest;
  /** Written by versions without `app`. */
  readonly redirectUri?: string;
  readonly expiresAt: number;
  /** The call that finished it: a state works once. */
  readonly takenBy?: string;
}

/** What an app passes to GET /auth/google and gets back with its code. */
export interface AppRequest {
  readonly redirectUri: string;
  /** Returned to the app. */
  readonly state?: string;
  /** PKCE: the digest of the verifier that the app must present with the code. */
  readonly codeChallenge?: string;
}

/** A one-time code. Kept after use with its session, so that a replay can revoke it. */
export interface CodeRecord extends Item {
  readonly userId: string;
  /** Absent in codes of versions without it, which expire within a minute. */
  readonly issuedAt?: string;
  readonly expiresAt: number;
  /** Absent in codes of versions that did not bind them. */
  readonly redirectUri?: string;
  readonly codeChallenge?: string;
  readonly sessionId?: string;
}

/** The sign-in of a device, by the fingerprint of its device code. Kept after use with its session, so that a replay can revoke it. */
export interface DeviceRecord extends Item {
  readonly deviceDigest: string;
  readonly status: 'pending' | 'approved' | 'denied';
  /** As the device calls itself. */
  readonly clientName: string | null;
  readonly ip: string | null;
  readonly location: string | null;
  readonly userAgent: string | null;
  readonly createdAt: string;
  readonly expiresAt: number;
  readonly polledAt?: string;
  /** The person who approved it, and the session in which they did. */
  readonly userId?: string;
  readonly approvedBy?: string;
  /** Absent in approvals of versions without it, which expire within ten minutes. */
  readonly approvedAt?: string;
  readonly sessionId?: string;
}

/** Leads from a user code, by its keyed digest, to the device. Deleted by the decision. */
export interface UserCodeRecord extends Item {
  readonly deviceDigest: string;
  readonly expiresAt: number;
}

export const sessionUsePartition = (userId: string): string => `SEEN#${userId}`;

export const accountKey = {
  user: (userId: string): Key<UserRecord> => ({ pk: `USER#${userId}`, sk: 'PROFILE' }),
  grant: (userId: string): Key<GrantRecord> => ({ pk: `USER#${userId}`, sk: 'GRANT' }),
  identity: (issuer: string, subject: string): Key => ({
    pk: `IDENTITY#${fingerprint(`${issuer}\n${subject}`)}`,
    sk: 'IDENTITY',
  }),
  session: (sessionId: string): Key<SessionRecord> => ({ pk: `SESSION#${sessionId}`, sk: 'SESSION' }),
  /** In a partition that functions may write which write nothing else. */
  sessionUse: (userId: string, sessionId: string): Key<SessionUseRecord> => ({ pk: sessionUsePartition(userId), sk: sessionId }),
  revokedSessions: (userId: string): Key<RevokedSessionsRecord> => ({ pk: `USER#${userId}`, sk: 'REVOKED_SESSIONS' }),
  refresh: (sessionId: string, secret: string): Key<RefreshRecord> => ({
    pk: `SESSION#${sessionId}`,
    sk: `REFRESH#${fingerprint(secret)}`,
  }),
  login: (state: string): Key<LoginRecord> => ({ pk: `LOGIN#${fingerprint(state)}`, sk: 'LOGIN' }),
  code: (code: string): Key<CodeRecord> => ({ pk: `CODE#${fingerprint(code)}`, sk: 'CODE' }),
  device: (deviceDigest: string): Key<DeviceRecord> => ({ pk: `DEVICE#${deviceDigest}`, sk: 'DEVICE' }),
  userCode: (codeDigest: string): Key<UserCodeRecord> => ({ pk: `USERCODE#${codeDigest}`, sk: 'USERCODE' }),
};
