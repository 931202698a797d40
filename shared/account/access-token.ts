/** Access tokens: RS256 by a KMS key, verified on cached public keys, bound to a session that can end at once. */
import { JwtRsaVerifier } from 'aws-jwt-verify';
import { isId } from '../contract/ids.ts';
import { accessTokenSeconds, tokenOrganizationsMax } from '../contract/limits.ts';
import { clock, env, epochSeconds, publicKeys, randomToken, tokenSigner } from '../platform/index.ts';

/** RFC 9068: says that this is an access token, so that no other token of ours or the provider's can stand in for one. */
const tokenType = 'at+jwt';
const audience = 'backup-management-service';
/** Real tokens are under 4 KB, which is what a cookie holds; anything twice as large is not worth parsing. */
const tokenMaxLength = 8_192;
/** How far the clocks of two containers may differ. A token ends at its `exp` sharp; it may begin this much ahead of us. */
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
let ready: Promise<Verifier> | undefined;

const verifier = (): Promise<Verifier> => {
  ready ??= publicKeys()
    .then((keys) => {
      const made = JwtRsaVerifier.create({
        issuer: env('PUBLIC_URL'),
        audience,
        // Never fetched: the keys are cached below, and verifySync throws on any other kid.
        jwksUri: `${env('PUBLIC_URL')}/.well-known/jwks.json`,
        graceSeconds: 0,
        customJwtCheck: ({ header, payload }) => {
          if (header.alg !== 'RS256' || header.typ !== tokenType || 'crit' in header || 'b64' in header)
            throw new Error('not an access token');
          const { exp, iat } = payload;
          if (exp === undefined || iat === undefined || exp - iat !== accessTokenSeconds)
            throw new Error('not a lifetime of ours');
          if (iat > epochSeconds(clock.now()) + skewSeconds) throw new Error('not issued yet');
        },
      });
      made.cacheJwks({ keys: keys.map((key) => ({ ...key })) });
      return made as unknown as Verifier;
    })
    .catch((error: unknown) => {
      ready = undefined;
      throw error;
    });
  return ready;
};

/** One spelling per token: other base64 forms of the same bytes are refused. */
const isCanonical = (token: string): boolean => {
  const parts = token.split('.');
  return (
    parts.length === 3 && parts.every((part) => part !== '' && Buffer.from(part, 'base64url').toString('base64url') === part)
  );
};

/**
 * Tokens this container found good, until they end: checking the signature is the largest part of a warm request's own
 * work. Nothing is lost by it: the keys cannot change while the container runs, and every call asks whether the session lives.
 */
const good = new Map<string, { readonly claims: AccessClaims; readonly exp: number }>();
const goodMax = 1_000;

/** Who the token speaks for, or undefined if it is not a good token of ours. Says nothing about whether the session lives. */
export const verifyAccessToken = async (token: string): Promise<AccessClaims | undefined> => {
  const known = good.get(token);
  if (known && known.exp > epochSeconds(clock.now())) return known.claims;
  if (token.length > tokenMaxLength || !isCanonical(token)) return undefined;
  const check = await verifier();
  try {
    const { sub, sid, email, name, exp } = check.verifySync(token);
    if (![sub, sid, email, name].every((claim) => typeof claim === 'string')) return undefined;
    const claims = { userId: sub, sessionId: sid, email, name } as AccessClaims;
    if (!isId('user', claims.userId) || !isId('session', claims.sessionId)) return undefined;
    if (good.size >= goodMax) good.clear();
    good.set(token, { claims, exp: exp as number });
    return claims;
  } catch {
    return undefined;
  }
};
