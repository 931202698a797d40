/** Configures oidc-provider to behave like Google's authorization server. */
import { generateKeyPair, randomBytes } from 'node:crypto';
import { promisify } from 'node:util';
import type Provider from 'oidc-provider';
import type { JWK } from 'oidc-provider';
import type { State } from '../../base/stage-state.ts';
import type { Aws } from '../../base/types.ts';
import { makeOidcAdapter } from './oidc-adapter.ts';
import { errorPage } from './pages.ts';
import type { People } from './people.ts';

export interface IdentityOptions {
  /** http://localhost:<port>, the address of `listener`. */
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
  readonly redirectUri: string;
  readonly signInUrl: string;
  readonly state: State;
  /** Has AWS verify the signed request of a workload. */
  readonly callerIdentity: Aws['callerIdentity'];
}

/** Grants with offline access: these get a refresh token. */
export const offlineKind = 'identity-offline';

const googleScopes = ['cloudplatformprojects', 'cloud-platform', 'datastore'].map(
  (name) => `https://www.googleapis.com/auth/${name}`,
);

const hourSeconds = 3_600;
const daySeconds = 24 * hourSeconds;

export const makeOidcProvider = async (options: IdentityOptions, people: People): Promise<Provider> => {
  const { issuer, clientId, clientSecret, redirectUri, state } = options;
  // Half of the provider's start is its import, so it is loaded lazily.
  const { default: OidcProvider, interactionPolicy } = await import('oidc-provider');
  // Google supports this prompt; the local page always offers a choice.
  const policy = interactionPolicy.base();
  policy.add(new interactionPolicy.Prompt({ name: 'select_account', requestable: true }), 0);
  return new OidcProvider(issuer, {
    adapter: makeOidcAdapter(state),
    clients: [
      {
        client_id: clientId,
        client_secret: clientSecret,
        redirect_uris: [redirectUri],
        grant_types: ['authorization_code', 'refresh_token'],
        response_types: ['code'],
        token_endpoint_auth_method: 'client_secret_post',
      },
    ],
    jwks: { keys: [await signingKey(options)] },
    cookies: { keys: [cookieKey(options)] },
    scopes: ['openid', 'email', 'profile', ...googleScopes],
    claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name', 'picture'] },
    // Google includes the profile in the ID token.
    conformIdTokenClaims: false,
    pkce: { required: () => true },
    responseTypes: ['code'],
    extraParams: ['access_type', 'include_granted_scopes'],
    issueRefreshToken: async (_context, _client, source) => state.get<boolean>(offlineKind, source.grantId ?? '') === true,
    rotateRefreshToken: false,
    expiresWithSession: async () => false,
    clientBasedCORS: () => false,
    findAccount: async (_context, sub) => {
      const person = people.bySubject(sub);
      return (
        person && {
          accountId: sub,
          claims: async () => ({
            sub,
            email: person.email,
            email_verified: person.emailVerified,
            name: person.name,
            picture: person.picture,
          }),
        }
      );
    },
    features: {
      devInteractions: { enabled: false },
      rpInitiatedLogout: { enabled: false },
      revocation: { enabled: true, allowedPolicy: async (_context, client, token) => token.clientId === client.clientId },
    },
    interactions: { policy, url: (_context, interaction) => `/interaction/${interaction.uid}` },
    routes: { authorization: '/auth', token: '/token', userinfo: '/userinfo', jwks: '/jwks', revocation: '/revoke' },
    ttl: {
      AccessToken: hourSeconds,
      AuthorizationCode: 60,
      IdToken: hourSeconds,
      Interaction: hourSeconds,
      Session: hourSeconds,
      Grant: 365 * daySeconds,
      RefreshToken: 365 * daySeconds,
    },
    renderError: (context, out) => {
      const { headers, body } = errorPage(`${out.error}: ${out.error_description ?? ''}`);
      context.set(headers);
      context.body = body;
    },
  });
};

const keyKind = 'identity-key';

/** Generated once and stored, so that tokens stay valid across restarts. */
const signingKey = async ({ state }: IdentityOptions): Promise<JWK> => {
  const known = state.get<JWK>(keyKind, 'signing');
  if (known) return known;
  const { privateKey } = await promisify(generateKeyPair)('rsa', { modulusLength: 2_048 });
  const generated: JWK = { ...(privateKey.export({ format: 'jwk' }) as JWK), kid: 'local', use: 'sig', alg: 'RS256' };
  state.set(keyKind, 'signing', generated);
  return generated;
};

const cookieKey = ({ state }: IdentityOptions): string => {
  const generated = state.get<string>(keyKind, 'cookie') ?? randomBytes(32).toString('base64url');
  state.set(keyKind, 'cookie', generated);
  return generated;
};
