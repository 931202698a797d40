/** One call of a Google API that takes and returns JSON. */
import { SourceError, type TokenSupplier } from '../firestore/index.ts';
import { fetchTrusted } from '../platform/index.ts';

export interface GoogleCall {
  readonly url: URL;
  readonly method?: 'GET' | 'POST' | 'PATCH';
  readonly body?: unknown;
  readonly sourceProjectId: string;
  readonly signal?: AbortSignal | undefined;
}

export interface GoogleAnswer {
  /** HTTP status; 0 without a response. */
  readonly status: number;
  readonly body: unknown;
}

/** Sends nothing without a token. The project's own quota is used. */
export const sendGoogle = async (
  { url, method = 'GET', body, sourceProjectId, signal }: GoogleCall,
  token: string | undefined,
  answerMs: number,
): Promise<GoogleAnswer> => {
  if (token === undefined) return { status: 0, body: undefined };
  const headers = { authorization: `Bearer ${token}`, 'x-goog-user-project': sourceProjectId };
  const content = { body: JSON.stringify(body), headers: { ...headers, 'content-type': 'application/json' } };
  try {
    const init = { method, ...(body === undefined ? { headers } : content), ...(signal && { signal }) };
    const answer = await fetchTrusted(url, init, answerMs);
    return { status: answer.status, body: await answer.json() };
  } catch {
    return { status: 0, body: undefined };
  }
};

/** Undefined if no token is available at the moment. */
export const bearerOf = async (token: TokenSupplier, refresh: boolean): Promise<string | undefined> => {
  try {
    return await token({ refresh });
  } catch (error) {
    if (error instanceof SourceError) throw error;
    return undefined;
  }
};

/** The text of an error of Google's APIs; may be empty. */
export const googleMessage = ({ body }: Pick<GoogleAnswer, 'body'>): string => {
  const message = (body as { error?: { message?: unknown } } | null | undefined)?.error?.message;
  return typeof message === 'string' ? message.slice(0, 300) : '';
};
