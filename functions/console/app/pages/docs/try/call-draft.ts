/** What a reader fills in to try an endpoint, and how it becomes a call. */
import { type Resolve, sampleOf } from '../../../../../../shared/docs/sample.ts';
import type { Endpoint } from '../model/read-reference.ts';

export interface CallDraft {
  /** Values of path and query parameters by name. */
  readonly values: Readonly<Record<string, string>>;
  /** JSON. */
  readonly body: string;
  readonly idempotencyKey: string;
}

/** Begins with the documented example. */
export const draftOf = ({ body }: Endpoint, resolve: Resolve): CallDraft => ({
  values: {},
  body: body ? JSON.stringify(sampleOf(body, resolve), null, 2) : '',
  idempotencyKey: '',
});

interface Call {
  readonly params: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string>>;
  readonly body: Readonly<Record<string, unknown>> | undefined;
}

/** Fields that keep the call from being sent, each with the reason. */
export type DraftProblems = Readonly<Record<string, string>>;

/** The call of a draft, or why it cannot be sent. Empty query values are not sent. */
export const readDraft = (
  { parameters, body, operation }: Endpoint,
  draft: CallDraft,
): Call | { readonly problems: DraftProblems } => {
  const problems: Record<string, string> = {};
  const params: Record<string, string> = {};
  const query: Record<string, string> = {};
  for (const { name, in: location, required } of parameters) {
    const value = draft.values[name]?.trim() ?? '';
    if (location === 'header') continue;
    if (value === '') {
      if (required) problems[name] = 'is required';
    } else (location === 'path' ? params : query)[name] = value;
  }
  const parsed = body && draft.body.trim() !== '' ? parseObject(draft.body) : undefined;
  if (typeof parsed === 'string') problems.body = parsed;
  else if (body && parsed === undefined && operation.requestBody?.required) problems.body = 'is required';
  if (Object.keys(problems).length > 0) return { problems };
  return { params, query, body: typeof parsed === 'object' ? parsed : undefined };
};

/** The object, or what is wrong with the text. */
const parseObject = (text: string): Readonly<Record<string, unknown>> | string => {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : 'must be a JSON object';
  } catch (error) {
    return `is not valid JSON: ${(error as Error).message}`;
  }
};
