/**
 * Access tokens of Google for a role of AWS (workload identity federation), by a signed GetCallerIdentity request. No key of Google
 * exists. Tokens are not cached here.
 */
import { clock } from '../clock.ts';
import { env } from '../env.ts';
import { fetchTrusted } from '../http/fetch-trusted.ts';
import { type AccessToken, TokenError } from '../http/google-access-token.ts';
import { assumeRole } from './assume-role.ts';
import { deploymentAccountId, sessionArnOf } from './session-arn.ts';

export interface FederatedIdentity {
  /** The full name of the pool provider in the customer's Google Cloud project. */
  readonly audience: string;
  /** The name of the role's session: the organization. The provider's condition requires it. */
  readonly sessionName: string;
  /** The service account to act as. Without it, the token is that of the pool's principal. */
  readonly serviceAccountEmail?: string | undefined;
}

/** The lifetime of a token whose response names none. */
const lifetimeMs = 3_600_000;

/** Requests a new token. The caller caches it, for one tenant only. */
export const federatedAccessToken = async (identity: FederatedIdentity, scopes: readonly string[]): Promise<AccessToken> => {
  const client = await openClient(identity, scopes);
  try {
    const { token } = await client.getAccessToken();
    if (!token) throw new TokenError('Google’s token service returned no token', { isTransient: true });
    return { token, expiresAtMs: client.credentials.expiry_date ?? clock.now().getTime() + lifetimeMs };
  } catch (error) {
    throw error instanceof TokenError ? error : toTokenError(error, identity);
  }
};

const openClient = async ({ audience, sessionName, serviceAccountEmail }: FederatedIdentity, scopes: readonly string[]) => {
  const credentials = await assumeRole({ roleArn: env('GOOGLE_ROLE_ARN'), sessionName }).catch((cause: unknown) => {
    throw new TokenError('AWS STS did not respond', { isTransient: true, cause });
  });
  if (!credentials) throw new Error('the role for Google cannot be assumed by this function');
  const { AwsClient, StsCredentials } = await import('./google-auth-library.ts');
  const { accessKeyId, secretAccessKey, sessionToken: token } = credentials;
  const tokenUrl = env('GOOGLE_STS_URL');
  class Client extends AwsClient {
    constructor() {
      super({
        audience,
        subject_token_type: 'urn:ietf:params:aws:token-type:aws4_request',
        token_url: tokenUrl,
        scopes: [...scopes],
        aws_security_credentials_supplier: {
          getAwsRegion: async () => process.env.AWS_REGION ?? 'us-east-1',
          getAwsSecurityCredentials: async () => ({ accessKeyId, secretAccessKey, token }),
        },
        ...(serviceAccountEmail && { service_account_impersonation_url: impersonationUrl(serviceAccountEmail) }),
        useAuthRequestParameters: false,
      });
      // The library retries without a limit of time and follows redirects. Callers retry transient errors themselves.
      const send = this.transporter.request.bind(this.transporter);
      this.transporter.request = (options) => send({ ...options, retry: false, fetchImplementation });
      this.stsCredential = new StsCredentials({ tokenExchangeEndpoint: tokenUrl, transporter: this.transporter });
    }
  }
  return new Client();
};

const fetchImplementation: typeof fetch = (input, init) =>
  fetchTrusted(input instanceof Request ? input.url : input, init).catch((cause: unknown) => {
    throw new TokenError('Google’s token service did not respond', { isTransient: true, cause });
  });

const impersonationUrl = (email: string): string =>
  `${env('GOOGLE_CREDENTIALS_URL')}/v1/projects/-/serviceAccounts/${email}:generateAccessToken`;

interface Refusal {
  readonly status?: number;
  /** The token service sends an error code and a description, the credentials service an object. */
  readonly data?: { readonly error?: unknown; readonly error_description?: unknown };
}

/** The library's error contains the whole request, so nothing of it is kept but the code. */
const toTokenError = (error: unknown, identity: FederatedIdentity): TokenError => {
  const own = ownError(error);
  if (own) return own;
  const { status = 0, data } = (error as { readonly response?: Refusal }).response ?? {};
  if (status === 0 || status === 429 || status >= 500)
    return new TokenError(`Google’s token service responded with status ${status}`, { isTransient: true });
  const { error: code, error_description: description } = data ?? {};
  if (typeof code === 'string' && /^\w{1,40}$/.test(code)) return exchangeRefusal(code, String(description ?? ''), identity);
  const { serviceAccountEmail } = identity;
  if (serviceAccountEmail && (status === 403 || status === 404))
    return refused(
      `The workload identity may not act as ${serviceAccountEmail}: grant it roles/iam.workloadIdentityUser on this service account`,
    );
  return refused(`Google rejected the workload identity with status ${status}`);
};

/** The library wraps errors of its transport. */
const ownError = (error: unknown): TokenError | undefined => {
  for (let cause = error; cause instanceof Error; cause = cause.cause) if (cause instanceof TokenError) return cause;
  return undefined;
};

const exchangeRefusal = (code: string, description: string, { audience, sessionName }: FederatedIdentity): TokenError => {
  if (code === 'invalid_target' || (code === 'invalid_request' && /audience/i.test(description)))
    return refused(
      `Google knows no enabled workload identity pool provider ${audience}: check the project number, the pool and the provider`,
    );
  if (code === 'unauthorized_client')
    return refused(
      `The attribute condition of the workload identity pool provider refuses this organization: it must be assertion.arn=='${sessionArnOf(sessionName)}'`,
    );
  // AWS refuses a signature that is older than 15 minutes. A new attempt is signed anew.
  if (/expired|not yet current/i.test(description))
    return new TokenError('Google found the signed request too old or too new', { isTransient: true });
  if (code === 'invalid_grant')
    return refused(
      `Google rejected the identity of this service (invalid_grant): the provider must be of type AWS with account id ${deploymentAccountId()} and map google.subject`,
    );
  return refused(`Google rejected the workload identity: ${code}`);
};

const refused = (message: string): TokenError => new TokenError(message, { isTransient: false });
