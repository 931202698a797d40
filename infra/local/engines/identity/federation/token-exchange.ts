/**
 * Google's Security Token Service and IAM credentials API for workloads on AWS. A subject token is a GetCallerIdentity request that the
 * workload signed: the service has AWS verify it, then applies the mapping and the condition of the provider. Tokens are stored.
 */
import { randomBytes } from 'node:crypto';
import type { State } from '../../../base/stage-state.ts';
import type { Aws } from '../../../base/types.ts';
import { evaluateCel } from './cel.ts';
import { type GoogleIam, subjectOf } from './google-iam.ts';

export const stsPath = '/google/sts/v1/token';
export const credentialsPath = '/google/credentials';
export const federatedTokenPrefix = 'ya29.federated.';
export const tokenKind = 'google-federated-token';

export interface Answer {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
}

export interface TokenExchange {
  /** Answers a form posted to the token URL. */
  exchange(form: URLSearchParams, now: Date): Answer;
  /** generateAccessToken of a service account. */
  impersonate(email: string, authorization: string | undefined, now: Date): Answer;
}

interface ExchangeOptions {
  readonly iam: GoogleIam;
  readonly state: State;
  readonly callerIdentity: Aws['callerIdentity'];
}

const lifetimeSeconds = 3_600;
/** Google limits subjects to 127 bytes. */
const subjectMaxBytes = 127;

export const openTokenExchange = ({ iam, state, callerIdentity }: ExchangeOptions): TokenExchange => {
  const issue = (member: string, now: Date): string => {
    const token = `${federatedTokenPrefix}${randomBytes(24).toString('base64url')}`;
    state.setExpiring(tokenKind, token, { value: member, expiresAtMs: now.getTime() + lifetimeSeconds * 1_000 });
    return token;
  };
  return {
    exchange: (form, now) => {
      const flaw = formFlaw(form);
      if (flaw) return refuse('invalid_request', flaw);
      const audience = form.get('audience') ?? '';
      const provider = iam.provider(audience);
      if (!provider) return refuse('invalid_target', noProvider);
      const request = readSubjectToken(form.get('subject_token') ?? '');
      const requestFlaw = request ? requestFlawOf(request, audience) : 'The subject token is not a serialized AWS request.';
      if (!request || requestFlaw) return refuse('invalid_grant', requestFlaw ?? '');
      let caller: ReturnType<typeof callerIdentity>;
      try {
        caller = callerIdentity(request, now);
      } catch (error) {
        const { name, message } = error as Error;
        return refuse('invalid_grant', `Received invalid AWS response of type ${name} with error message: ${message}`);
      }
      if (caller.account !== provider.accountId)
        return refuse('invalid_grant', `The AWS account ${caller.account} is not that of the provider.`);
      const subject = String(evaluateCel(subjectOf(provider), caller));
      if (subject === '' || Buffer.byteLength(subject) > subjectMaxBytes)
        return refuse('invalid_request', 'The mapped attribute google.subject must be of size 1 to 127 bytes.');
      if (evaluateCel(provider.condition, caller) !== true)
        return refuse('unauthorized_client', 'The given credential is rejected by the attribute condition.', 401);
      const pool = audience.replace(/^(https:)?\/\//, '').split('/providers/')[0];
      return {
        status: 200,
        body: {
          access_token: issue(`principal://${pool}/subject/${subject}`, now),
          issued_token_type: accessTokenType,
          token_type: 'Bearer',
          expires_in: lifetimeSeconds,
        },
      };
    },
    impersonate: (email, authorization, now) => {
      const [, token = ''] = /^Bearer (\S+)$/.exec(authorization ?? '') ?? [];
      const member = state.get<string>(tokenKind, token);
      if (member === undefined) return rpcError(401, 'UNAUTHENTICATED', 'Request had invalid authentication credentials.');
      if (!iam.rolesOf(`serviceAccounts/${email}`, member).some((role) => impersonatingRoles.includes(role)))
        return rpcError(
          403,
          'PERMISSION_DENIED',
          "Permission 'iam.serviceAccounts.getAccessToken' denied on resource (or it may not exist).",
        );
      const expireTime = new Date(now.getTime() + lifetimeSeconds * 1_000).toISOString();
      return { status: 200, body: { accessToken: issue(`serviceAccount:${email}`, now), expireTime } };
    },
  };
};

const accessTokenType = 'urn:ietf:params:oauth:token-type:access_token';
const impersonatingRoles = ['roles/iam.workloadIdentityUser', 'roles/iam.serviceAccountTokenCreator'];
const noProvider =
  'The target service indicated by the "audience" parameters is invalid. This might either be because the pool or provider is disabled or deleted or because it doesn\'t exist.';

const refuse = (error: string, error_description: string, status = 400): Answer => ({
  status,
  body: { error, error_description },
});

const rpcError = (code: number, status: string, message: string): Answer => ({
  status: code,
  body: { error: { code, message, status } },
});

const formFlaw = (form: URLSearchParams): string | undefined => {
  if (form.get('grant_type') !== 'urn:ietf:params:oauth:grant-type:token-exchange') return 'Invalid grant_type.';
  if (form.get('requested_token_type') !== accessTokenType) return 'Invalid requested_token_type.';
  if (form.get('subject_token_type') !== 'urn:ietf:params:aws:token-type:aws4_request') return 'Invalid subject_token_type.';
  return form.get('scope') ? undefined : 'The scope is missing.';
};

interface SignedRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** A subject token is URL-encoded JSON: `{url, method, headers: [{key, value}]}`. */
const readSubjectToken = (text: string): SignedRequest | undefined => {
  try {
    const { url, method, headers } = JSON.parse(decodeURIComponent(text)) as Record<string, unknown>;
    if (typeof url !== 'string' || typeof method !== 'string' || !URL.canParse(url)) return undefined;
    const pairs = (headers as { key: string; value: string }[]).map(({ key, value }) => [key.toLowerCase(), String(value)]);
    return { url, method, headers: Object.fromEntries(pairs) };
  } catch {
    return undefined;
  }
};

const requestFlawOf = ({ method, url, headers }: SignedRequest, audience: string): string | undefined => {
  const { protocol, hostname, port, pathname, searchParams } = new URL(url);
  if (method !== 'POST') return 'The AWS request must be a POST.';
  if (protocol !== 'https:' || port !== '' || pathname !== '/' || !/^sts\.[a-z0-9-]+\.amazonaws\.com$/.test(hostname))
    return 'The URL of the AWS request is not a regional endpoint of AWS STS.';
  if (
    searchParams.get('Action') !== 'GetCallerIdentity' ||
    searchParams.get('Version') !== '2011-06-15' ||
    searchParams.size !== 2
  )
    return 'The AWS request is not GetCallerIdentity.';
  const target = headers['x-goog-cloud-target-resource']?.replace(/^https:/, '');
  return target === audience.replace(/^https:/, '') ? undefined : 'x-goog-cloud-target-resource must be the audience.';
};
