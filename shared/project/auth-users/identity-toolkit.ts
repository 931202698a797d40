/** Calls of the Identity Toolkit REST API, the administration of Firebase Authentication. */
import { SourceError, type TokenSupplier, withRole } from '../../firestore/index.ts';
import { env, type RetryVerdict, retry, type Tenant } from '../../platform/index.ts';
import { bearerOf, type GoogleAnswer, googleMessage, sendGoogle } from '../google-json.ts';
import type { ProjectRecord } from '../record.ts';
import { sourceToken } from '../source-token.ts';

/** Access to the users of one project. */
export interface Toolkit {
  readonly endpoint: string;
  readonly sourceProjectId: string;
  readonly token: TokenSupplier;
  /** The code of a denied access. Default: SOURCE_AUTH_ERROR. */
  readonly refusedAs?: 'SOURCE_AUTH_ERROR' | 'TARGET_PERMISSION_DENIED';
}

/** Uses the project's connection. Sends nothing before the first call. */
export const openToolkit = (tenant: Tenant, project: Pick<ProjectRecord, 'id' | 'sourceProjectId' | 'connection'>): Toolkit => ({
  endpoint: env('IDENTITY_TOOLKIT_URL'),
  sourceProjectId: project.sourceProjectId,
  token: sourceToken(tenant, project, 'users'),
});

export interface ToolkitCall {
  /** Relative to the project's path. */
  readonly path: `/accounts:${string}` | '/config';
  readonly query?: Readonly<Record<string, string>>;
  /** With a body it is a POST. */
  readonly body?: unknown;
  readonly signal?: AbortSignal | undefined;
}

const answerMs = 30_000;
/** The delays are up to 0.2, 0.4, … 3.2 s: about 5 s in all. */
const backoff = { attempts: 6, firstDelayMs: 200, jitter: 0.5 };

/**
 * Retries transient failures, and refreshes a rejected token once. Throws `refusedAs` if the project denies access.
 * The same call may reach the service twice, so it has to be idempotent.
 */
export const callToolkit = async (toolkit: Toolkit, call: ToolkitCall): Promise<GoogleAnswer> => {
  let refresh = false;
  const classify = (error: unknown): RetryVerdict => {
    if (!(error instanceof TokenRejected) || refresh) return error instanceof Unavailable;
    refresh = true;
    return 'at-once';
  };
  return retry(backoff, {
    classify,
    work: async (attempt) => {
      if (call.signal?.aborted) throw new SourceError('CANCELLED', 'The call of the Identity Toolkit was cancelled.');
      const answer = await send(toolkit, call, await bearerOf(toolkit.token, refresh));
      const { status } = answer;
      if (status === 200 || isUnused(answer)) return answer;
      if (status === 401) throw new TokenRejected('SOURCE_AUTH_ERROR', denied(answer));
      if (status === 403 || status === 404) throw new SourceError(toolkit.refusedAs ?? 'SOURCE_AUTH_ERROR', denied(answer));
      if (status !== 0 && status !== 429 && status < 500) return answer;
      const message = `The Identity Toolkit did not respond after ${attempt} attempts.`;
      throw new Unavailable('INTERNAL_ERROR', message, { isTransient: true });
    },
  });
};

class TokenRejected extends SourceError {}
class Unavailable extends SourceError {}

/** The error of a request that the service should accept. Only the reason code is kept, because the text may quote the request. */
export const rejectedRequest = (answer: GoogleAnswer): SourceError =>
  new SourceError('INTERNAL_ERROR', `The Identity Toolkit rejected a request: ${answer.status} ${toolkitReason(answer)}`.trim());

/** The API's reason code, such as DUPLICATE_LOCAL_ID; may be empty. */
export const toolkitReason = ({ body }: Pick<GoogleAnswer, 'body'>): string =>
  /^[A-Z][A-Z0-9_]{2,60}\b/.exec(googleMessage({ body }))?.[0] ?? '';

/** Whether Firebase Authentication was never set up in the project. */
export const isUnused = (answer: GoogleAnswer): boolean =>
  answer.status >= 400 && toolkitReason(answer) === 'CONFIGURATION_NOT_FOUND';

const send = (
  { endpoint, sourceProjectId }: Toolkit,
  { path, query, body, signal }: ToolkitCall,
  token: string | undefined,
): Promise<GoogleAnswer> => {
  const version = path === '/config' ? 'admin/v2' : 'v1';
  const url = new URL(`/${version}/projects/${encodeURIComponent(sourceProjectId)}${path}`, endpoint);
  for (const [name, value] of Object.entries(query ?? {})) url.searchParams.set(name, value);
  return sendGoogle({ url, method: body === undefined ? 'GET' : 'POST', body, sourceProjectId, signal }, token, answerMs);
};

const denied = ({ status, body }: GoogleAnswer): string => {
  const text = `Access to the users of Firebase Authentication was denied: ${googleMessage({ body }) || status}`;
  return status === 403 ? withRole(text, 'roles/firebaseauth.admin') : text;
};
