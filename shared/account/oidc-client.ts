/** The identity provider: Google, or an OpenID Connect issuer that accepts the requested scopes. */
import * as oauth from 'oauth4webapi';
import { ApiError, bearerChallenge, unauthorized } from '../contract/errors.ts';
import { logLines } from '../contract/runtime/alarm-log-lines.ts';
import { env, fetchTrusted, log, secretValue, warmPromise } from '../platform/index.ts';
import { type ProviderIdentity, readProfile } from './identity-claims.ts';
import { type Login, nonceOf } from './login-attempt.ts';

/** `datastore` to read documents, `cloudPlatform` to read the users of Firebase Authentication. */
export const googleScopes = {
  datastore: 'https://www.googleapis.com/auth/datastore',
  cloudPlatform: 'https://www.googleapis.com/auth/cloud-platform',
} as const;

/** Identity, and the access of a project connection: list projects, read databases, read and write documents. */
const requestedScopes = [
  'openid',
  'email',
  'profile',
  'https://www.googleapis.com/auth/cloudplatformprojects',
  googleScopes.cloudPlatform,
  googleScopes.datastore,
];

/** Where to redirect the browser. Google issues a refresh token only after a new consent. */
export const authorizationUrl = async (login: Login, callbackUrl: string, loginHint: string | undefined): Promise<string> => {
  const { authorization_endpoint } = await discover().catch(refuse);
  if (authorization_endpoint === undefined) return refuse(new Error('no authorization endpoint'));
  const url = new URL(authorization_endpoint);
  const parameters = {
    client_id: env('IDENTITY_CLIENT_ID'),
    response_type: 'code',
    redirect_uri: callbackUrl,
    scope: requestedScopes.join(' '),
    state: login.state,
    nonce: nonceOf(login),
    code_challenge: await oauth.calculatePKCECodeChallenge(login.verifier),
    code_challenge_method: 'S256',
    access_type: 'offline',
    prompt: 'consent',
    ...(loginHint !== undefined && { login_hint: loginHint }),
  };
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
  return url.href;
};

/** The user declined the consent at the identity provider. */
export class SignInDeclined extends ApiError {
  constructor() {
    super('UNAUTHORIZED', 'The sign-in was cancelled at the identity provider', undefined, { headers: bearerChallenge });
  }
}

/** Exchanges the authorization code and checks state, issuer, PKCE, nonce, claims and signature. */
export const identify = (answer: URLSearchParams, login: Login, callbackUrl: string): Promise<ProviderIdentity> =>
  exchange(answer, login, callbackUrl).catch(refuse);

const exchange = async (answer: URLSearchParams, login: Login, callbackUrl: string): Promise<ProviderIdentity> => {
  const server = await discover();
  const client = { client_id: env('IDENTITY_CLIENT_ID') };
  const code = oauth.validateAuthResponse(issuerOf(server, answer), client, answer, login.state);
  const secret = oauth.ClientSecretPost(await secretValue('IDENTITY_SECRET_ID'));
  const response = await oauth.authorizationCodeGrantRequest(
    server,
    client,
    secret,
    code,
    callbackUrl,
    login.verifier,
    requestOptions(),
  );
  const tokens = await oauth.processAuthorizationCodeResponse(server, client, response, {
    expectedNonce: nonceOf(login),
    requireIdToken: true,
  });
  // Optional by the standard, which accepts TLS instead. Costs one cached request.
  await oauth.validateApplicationLevelSignature(server, response, requestOptions());
  const claims = oauth.getValidatedIdTokenClaims(tokens);
  if (!claims) throw unauthorized('The identity provider returned no identity');
  return {
    issuer: claims.iss,
    subject: claims.sub,
    profile: readProfile(
      claims.email === undefined ? await askUserInfo(server, { client, tokens, subject: claims.sub }) : claims,
    ),
    refreshToken: tokens.refresh_token,
    // RFC 6749 section 5.1: no scope in the response means all that were requested.
    scopes: tokens.scope?.split(' ') ?? requestedScopes,
  };
};

/**
 * Some providers announce `iss` (RFC 9207) but omit it from errors. An error grants nothing and its state is checked, so it may lack `iss`;
 * a different one is refused in any case.
 */
const issuerOf = (server: oauth.AuthorizationServer, answer: URLSearchParams): oauth.AuthorizationServer =>
  answer.has('error') ? { ...server, authorization_response_iss_parameter_supported: false } : server;

/** Google puts the profile into the ID token; other providers may only return it here. */
const askUserInfo = async (
  server: oauth.AuthorizationServer,
  {
    client,
    tokens,
    subject,
  }: { readonly client: oauth.Client; readonly tokens: oauth.TokenEndpointResponse; readonly subject: string },
): Promise<oauth.UserInfoResponse> =>
  oauth.processUserInfoResponse(
    server,
    client,
    subject,
    await oauth.userInfoRequest(server, client, tokens.access_token, requestOptions()),
  );

/** Plain http is allowed only if the configured issuer uses it. */
export const requestOptions = () => ({
  [oauth.customFetch]: (url: string, options: object) => fetchTrusted(url, options),
  [oauth.allowInsecureRequests]: new URL(env('IDENTITY_ISSUER')).protocol === 'http:',
});

/** The provider's metadata, fetched once per container. */
export const discover = warmPromise(async (): Promise<oauth.AuthorizationServer> => {
  const issuer = new URL(env('IDENTITY_ISSUER'));
  return oauth.processDiscoveryResponse(issuer, await oauth.discoveryRequest(issuer, requestOptions()));
});

/** Errors of our own registration at the provider, not of the user. */
const misconfigured = ['invalid_client', 'unauthorized_client', 'unsupported_grant_type', 'invalid_scope'];
/** Unusable responses: an error page, a truncated document, forbidden URLs. */
const unusable: readonly unknown[] = [
  oauth.HTTP_REQUEST_FORBIDDEN,
  oauth.REQUEST_PROTOCOL_FORBIDDEN,
  oauth.JSON_ATTRIBUTE_COMPARISON,
  oauth.WWW_AUTHENTICATE_CHALLENGE,
  oauth.RESPONSE_IS_NOT_CONFORM,
  oauth.RESPONSE_IS_NOT_JSON,
  oauth.PARSE_ERROR,
  oauth.MISSING_SERVER_METADATA,
  oauth.INVALID_SERVER_METADATA,
];

/** Throws an error for the user. The provider's response is neither shown nor logged, because it can contain tokens. */
const refuse = (error: unknown): never => {
  if (error instanceof ApiError) throw error;
  if (error instanceof oauth.AuthorizationResponseError) {
    throw error.error === 'access_denied'
      ? new SignInDeclined()
      : unauthorized('The identity provider refused the sign-in. Start again');
  }
  const { code, name } = error as { code?: unknown; name?: string };
  const response = error instanceof oauth.ResponseBodyError ? error : undefined;
  const ours = response && (response.status >= 500 || response.status === 429 || misconfigured.includes(response.error));
  const fromLibrary = typeof code === 'string' && code.startsWith('OAUTH_');
  if (!fromLibrary || ours || unusable.includes(code)) {
    log.error(logLines.providerFailed, { reason: code ?? name, status: response?.status, error: response?.error });
    throw new ApiError('SERVICE_UNAVAILABLE', 'The identity provider is not available. Try again shortly');
  }
  throw unauthorized('The identity provider did not confirm the sign-in. Start again');
};
