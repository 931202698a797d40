/** Access tokens: signed with RS256 by a KMS key, verified with cached public keys, bound to a revocable session. */
import { JwtRsaVerifier } from 'aws-jwt-verify';
import { isId } from '../contract/ids.ts';
import { accessTokenSeconds, tokenOrganizationsMax } from '../contract/limits.ts';
import { clock, env, epochSeconds, publicKeys, randomToken, tokenSigner, warm, warmPromise } from '../platform/index.ts';

/** RFC 9068: marks an access token, so that no other token of ours or the provider's is accepted as one. */
const tokenType = 'at+jwt';
const audience = 'backup-management-service';
/** Real tokens fit into a cookie of 4 KB; anything twice as large is not parsed. */
const tokenMaxLength = 8_192;
/** Clock skew between two containers: `iat` may be this far in the future. `exp` is exact. */
const skewSeconds = 30;

export interface AccessClaims {
  readonly userId: string;
  readonly sessionId: string;
  readonly email: string;
  readonly name: string;
}

export const issueAccessToken = async (claims: AccessClaims, organizations: readonly string[], now: Date): Promise<string> => {
  const { kid, sign } = await tokenSigner();
  const iat = epochSeconds(now);
  const text = [
    { alg: 'RS256', typ: tokenType, kid },
    {
      sub: claims.userId,
      email: claims.email,
      name: claims.name,
      organizations: organizations.slice(0, tokenOrganizationsMax),
      iat,
      exp: iat + accessTokenSeconds,
      iss: env('PUBLIC_URL'),
      aud: audience,
      jti: randomToken(),
      sid: claims.sessionId,
    },
  ]
    .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
    .join('.');
  return `${text}.${(await sign(text)).toString('base64url')}`;
};

type Verifier = { verifySync(token: string): Readonly<Record<string, unknown>> };

const verifier = warmPromise(async (): Promise<Verifier> => {
  const keys = await publicKeys();
  const created = JwtRsaVerifier.create({
    issuer: env('PUBLIC_URL'),
    audience,
    // Never fetched: the keys are cached below, and verifySync throws on any other kid.
    jwksUri: `${env('PUBLIC_URL')}/.well-known/jwks.json`,
    graceSeconds: 0,
    customJwtCheck: ({ header, payload }) => {
      if (header.alg !== 'RS256' || header.typ !== tokenType || 'crit' in header || 'b64' in header)
        throw new Error('not an access token');
      const { exp, iat } = payload;
      if (exp === undefined || iat === undefined || exp - iat !== accessTokenSeconds) throw new Error('unexpected lifetime');
      if (iat > epochSeconds(clock.now()) + skewSeconds) throw new Error('not issued yet');
    },
  });
  created.cacheJwks({ keys: keys.map((key) => ({ ...key })) });
  return created as unknown as Verifier;
});

/** One encoding per token: other base64 forms of the same bytes are refused. */
const isCanonical = (token: string): boolean => {
  const parts = token.split('.');
  return (
    parts.length === 3 && parts.every((part) => part !== '' && Buffer.from(part, 'base64url').toString('base64url') === part)
  );
};

/**
 * Verified tokens, until they expire: checking the signature is the largest part of a warm request's own work. Safe, because the
 * keys cannot change while the container runs, and every call checks the session.
 */
const verifiedTokens = warm(() => new Map<string, { readonly claims: AccessClaims; readonly exp: number }>());
const verifiedMax = 1_000;

/** The claims of a valid token, else undefined. Does not check whether the session is still active. */
export const verifyAccessToken = async (token: string): Promise<AccessClaims | undefined> => {
  const verified = verifiedTokens();
  const known = verified.get(token);
  if (known && known.exp > epochSeconds(clock.now())) return known.claims;
  if (token.length > tokenMaxLength || !isCanonical(token)) return undefined;
  const check = await verifier();
  try {
    const { sub, sid, email, name, exp } = check.verifySync(token);
    if (![sub, sid, email, name].every((claim) => typeof claim === 'string')) return undefined;
    const claims = { userId: sub, sessionId: sid, email, name } as AccessClaims;
    if (!isId('user', claims.userId) || !isId('session', claims.sessionId)) return undefined;
    if (verified.size >= verifiedMax) verified.clear();
    verified.set(token, { claims, exp: exp as number });
    return claims;
  } catch {
    return undefined;
  }
};
