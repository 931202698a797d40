import * as z from 'zod/mini';
import { roles } from '../access.ts';
import { apiPrefix, group } from '../endpoint.ts';
import { Moment, noBody, ShownName } from '../fields.ts';

export const User = z.object({
  id: z.string(),
  email: z.string(),
  name: ShownName,
  picture: z.nullable(z.string()),
  organizations: z.array(z.object({ id: z.string(), name: ShownName, role: z.enum(roles) })),
  createdAt: Moment,
});

export const TokenSet = z.object({
  accessToken: z.string(),
  refreshToken: z.string(),
  expiresIn: z.int(),
  tokenType: z.literal('Bearer'),
});

export const auth = group('auth', `${apiPrefix}/auth`, {
  google: {
    route: 'GET /google',
    access: 'public',
    summary: 'Redirect to the identity provider to sign in',
    query: z.strictObject({
      redirect_uri: z.optional(z.string().check(z.maxLength(2_048))),
      state: z.optional(
        z
          .string()
          .check(z.maxLength(1_024, 'must be at most 1024 characters'), z.regex(/^[\x20-\x7e]*$/, 'must be printable ASCII')),
      ),
      code_challenge: z.optional(
        z.string().check(z.regex(/^[\w-]{43}$/, 'must be the base64url SHA-256 digest of the code_verifier')),
      ),
      code_challenge_method: z.optional(z.enum(['S256'])),
      login_hint: z.optional(z.string().check(z.maxLength(254))),
    }),
    reply: 'redirect',
    errors: ['SERVICE_UNAVAILABLE'],
    capabilities: ['table:write', 'identity:refer'],
  },
  callback: {
    route: 'GET /google/callback',
    access: 'public',
    summary: 'Callback of the identity provider',
    // Loose: providers add their own parameters (Google: scope, authuser, hd, prompt).
    query: z.looseObject({
      code: z.optional(z.string().check(z.maxLength(4_096))),
      state: z.optional(z.string().check(z.maxLength(512))),
      error: z.optional(z.string().check(z.maxLength(512))),
    }),
    reply: 'redirect',
    errors: ['UNAUTHORIZED', 'SERVICE_UNAVAILABLE'],
    audit: 'auth.signed_in',
    capabilities: ['table:write', 'identity:client', 'token:sign', 'grant:seal'],
  },
  token: {
    route: 'POST /token',
    access: 'public',
    summary: 'Exchange a one-time code for tokens',
    // RFC 6749 section 3.2: unrecognized parameters are ignored.
    body: z.object({
      code: z.string('must be the code from the redirect').check(z.minLength(1), z.maxLength(512)),
      grant_type: z.literal('authorization_code'),
      redirect_uri: z.optional(z.string().check(z.maxLength(2_048))),
      // RFC 7636 section 4.1.
      code_verifier: z.optional(z.string().check(z.regex(/^[\w.~-]{43,128}$/, 'must be 43 to 128 letters, digits or -._~'))),
    }),
    data: TokenSet,
    errors: ['UNAUTHORIZED'],
    audit: 'auth.signed_in',
    capabilities: ['table:write', 'token:sign'],
  },
  refresh: {
    route: 'POST /refresh',
    access: 'public',
    summary: 'Exchange a refresh token for new tokens',
    body: z.object({ refreshToken: z.optional(z.string().check(z.minLength(1), z.maxLength(8_192))) }),
    bodyOptional: true,
    data: z.partial(z.omit(TokenSet, { tokenType: true }), { refreshToken: true }),
    errors: ['UNAUTHORIZED', 'FORBIDDEN'],
    audit: 'auth.refreshed',
    capabilities: ['table:write', 'token:sign', 'token:verify'],
  },
  me: {
    route: 'GET /me',
    access: 'user',
    summary: 'Get the signed-in user',
    data: User,
    capabilities: ['table:read'],
  },
  logout: {
    route: 'POST /logout',
    access: 'user',
    summary: 'End the session; its access and refresh tokens are revoked immediately',
    ...noBody,
    audit: 'auth.signed_out',
    capabilities: ['table:write'],
  },
});

export const sessionKinds = ['console', 'device', 'application'] as const;
export type SessionKind = (typeof sessionKinds)[number];

export const SignInSession = z.object({
  id: z.string(),
  kind: z.enum(sessionKinds),
  name: z.nullable(ShownName),
  createdAt: Moment,
  lastUsedAt: Moment,
  address: z.nullable(z.string()),
  country: z.nullable(z.string()),
  current: z.boolean(),
});

export const sessions = group('sessions', `${apiPrefix}/auth/sessions`, {
  list: {
    route: 'GET',
    access: 'user',
    summary: 'List the sign-ins of the signed-in person, newest first: browsers, devices and applications',
    list: SignInSession,
    capabilities: ['table:read'],
  },
  revoke: {
    route: 'DELETE /{sessionId}',
    access: 'user',
    summary: 'End a sign-in; its access and refresh tokens are revoked immediately',
    errors: ['NOT_FOUND'],
    audit: 'auth.session_revoked',
    capabilities: ['table:write'],
  },
  revokeAll: {
    route: 'POST /revoke-all',
    access: 'user',
    summary: 'End all sign-ins of the signed-in person, by default except the one that makes this call',
    body: z.strictObject({ exceptCurrent: z._default(z.boolean(), true) }),
    bodyOptional: true,
    data: z.object({ revoked: z.int() }),
    audit: 'auth.session_revoked',
    destructive: true,
    capabilities: ['table:write'],
  },
});
