import { failureReason } from './call-failure.ts';
import type { DeploymentTarget } from './deployment-target.ts';
import { cannotTell, mustDo, ok, type Verdict } from './verdict.ts';

/** Endpoints of OpenID Connect that the sign-in uses. */
const needed = ['authorization_endpoint', 'token_endpoint', 'jwks_uri'] as const;
const timeoutMs = 10_000;

/** The discovery document of the identity issuer. */
export const checkIssuer = async ({ config: { identityIssuer } }: Pick<DeploymentTarget, 'config'>): Promise<Verdict> => {
  const url = `${identityIssuer.replace(/\/$/, '')}/.well-known/openid-configuration`;
  const wrong = (what: string): Verdict =>
    mustDo(`${url} ${what}: set identityIssuer to the issuer exactly as its provider states it`);
  let response: Response;
  try {
    response = await fetch(url, { signal: AbortSignal.timeout(timeoutMs), headers: { accept: 'application/json' } });
  } catch (error) {
    return cannotTell(
      `${url} does not answer (${failureReason((error as Error).cause ?? error)}): check identityIssuer, and this network`,
    );
  }
  if (!response.ok) return wrong(`answers ${response.status}`);
  const document = await response.json().then(
    (value) => value as Readonly<Record<string, unknown>>,
    () => undefined,
  );
  if (typeof document !== 'object' || document === null) return wrong('is not JSON');
  if (document.issuer !== identityIssuer)
    return wrong(`names the issuer ${JSON.stringify(document.issuer)}, not ${identityIssuer}`);
  const missing = needed.filter((name) => typeof document[name] !== 'string');
  if (missing.length > 0) return wrong(`lacks ${missing.join(', ')}`);
  return ok(identityIssuer);
};
