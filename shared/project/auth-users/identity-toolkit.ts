/** Calls of the Identity Toolkit's REST API: Firebase Authentication as an administrator of the project sees it. */
import { SourceError, type TokenSupplier } from '../../firestore/index.ts';
import { env, fetchTrusted, retry, type Tenant, type Verdict } from '../../platform/index.ts';
import type { ProjectRecord } from '../record.ts';
import { sourceToken } from '../source-token.ts';

/** The users of one project, and the access to them. */
export interface Toolkit {
  readonly endpoint: string;
  readonly sourceProjectId: string;
  readonly token: TokenSupplier;
  /** What it means that the project knows us and does not let us: SOURCE_AUTH_ERROR unless said. */
  readonly refusedAs?: 'SOURCE_AUTH_ERROR' | 'TARGET_PERMISSION_DENIED';
}

/** With the access the project was connected with. Nothing is asked before the first call. */
export const openToolkit = (tenant: Tenant, project: Pick<ProjectRecord, 'id' | 'sourceProjectId' | 'connection'>): Toolkit => ({
  endpoint: env('IDENTITY_TOOLKIT_URL'),
  sourceProjectId: project.sourceProjectId,
  token: sourceToken(tenant, project, 'users'),
});

export interface ToolkitCall {
  /** Behind the project's own path. */
  readonly path: `/accounts:${string}` | '/config';
  readonly query?: Readonly<Record<string, string>>;
  /** With a body it is a POST. */
  readonly body?: unknown;
  readonly signal?: AbortSignal | undefined;
}

export interface ToolkitAnswer {
  /** 200, or what the service says of a request that it does not take; 0 where no answer came. */
  readonly status: number;
  readonly body: unknown;
}

const answerMs = 30_000;
/** The delays are up to 0.2, 0.4, … 3.2 s: about 5 s in all. */
const backoff = { attempts: 6, firstDelayMs: 200, jitter: 0.5 };

/**
 * Retries transient failures, and refreshes a rejected token once. Throws `refusedAs` if the project denies access.
 * The same call may reach the service twice, so it has to be idempotent.
 */
export const callToolkit = async (toolkit: Toolkit, call: ToolkitCall): Promise<ToolkitAnswer> => {
  let refresh = false;
  const classify = (error: unknown): Verdict => {
    if (!(error instanceof TokenRejected) || refresh) return error instanceof Unavailable;
    refresh = true;
    return 'at-once';
  };
  return retry(backoff, classify, async (attempt) => {
    if (call.signal?.aborted) throw new SourceError('CANCELLED', 'The call of the Identity Toolkit was cancelled.');
    const answer = await send(toolkit, call, await bearer(toolkit.token, refresh));
    const { status } = answer;
    if (status === 200 || isUnused(answer)) return answer;
    if (status === 401) throw new TokenRejected('SOURCE_AUTH_ERROR', denied(answer));
    if (status === 403 || status === 404) throw new SourceError(toolkit.refusedAs ?? 'SOURCE_AUTH_ERROR', denied(answer));
    if (status !== 0 && status !== 429 && status < 500) return answer;
    const message = `The Identity Toolkit did not answer after ${attempt} attempts.`;
    throw new Unavailable('INTERNAL_ERROR', message, { isTransient: true });
  });
};

class TokenRejected extends SourceError {}
class Unavailable extends SourceError {}

/** For calls that the service has no reason not to take. The reason is a word: what the service writes behind it may quote us. */
export const notTaken = (answer: ToolkitAnswer): SourceError =>
  new SourceError('INTERNAL_ERROR', `The Identity Toolkit did not take a request: ${answer.status} ${reasonOf(answer)}`.trim());

/** The API's own word for what is wrong, such as DUPLICATE_LOCAL_ID; empty if it has none. */
export const reasonOf = ({ body }: Pick<ToolkitAnswer, 'body'>): string =>
  /^[A-Z][A-Z0-9_]{2,60}\b/.exec(messageOf(body))?.[0] ?? '';

/** What the API says of a project where Firebase Authentication was never set up. */
export const isUnused = (answer: ToolkitAnswer): boolean =>
  answer.status >= 400 && reasonOf(answer) === 'CONFIGURATION_NOT_FOUND';

const messageOf = (body: unknown): string => {
  const message = (body as { error?: { message?: unknown } } | null | undefined)?.error?.message;
  return typeof message === 'string' ? message.slice(0, 300) : '';
};

const send = async (
  { endpoint, sourceProjectId }: Toolkit,
  { path, query, body, signal }: ToolkitCall,
  token: string | undefined,
): Promise<ToolkitAnswer> => {
  if (token === undefined) return { status: 0, body: undefined };
  const version = path === '/config' ? 'admin/v2' : 'v1';
  const url = new URL(`/${version}/projects/${encodeURIComponent(sourceProjectId)}${path}`, endpoint);
  for (const [name, value] of Object.entries(query ?? {})) url.searchParams.set(name, value);
  // The project whose users they are is also the one whose quota is used.
  const headers = { authorization: `Bearer ${token}`, 'x-goog-user-project': sourceProjectId };
  const post = { method: 'POST', body: JSON.stringify(body), headers: { ...headers, 'content-type': 'application/json' } };
  try {
    const answer = await fetchTrusted(url, { ...(body === undefined ? { headers } : post), ...(signal && { signal }) }, answerMs);
    return { status: answer.status, body: await answer.json() };
  } catch {
    return { status: 0, body: undefined };
  }
};

/** Undefined where no token could be had for now. */
const bearer = async (token: TokenSupplier, refresh: boolean): Promise<string | undefined> => {
  try {
    return await token({ refresh });
  } catch (error) {
    if (error instanceof SourceError) throw error;
    return undefined;
  }
};

const denied = ({ status, body }: ToolkitAnswer): string =>
  `Access to the users of Firebase Authentication was denied: ${messageOf(body) || status}`;
