/** Calls of the APIs that tell about the configuration of a database: the Admin API of Firestore, and Firebase Rules. */
import type { CaptureState } from '../../contract/models/configuration.ts';
import { SourceError, type TokenSupplier } from '../../firestore/index.ts';
import { env, type RetryVerdict, retry, type Tenant } from '../../platform/index.ts';
import { bearerOf, type GoogleAnswer, googleMessage, sendGoogle } from '../google-json.ts';
import type { ProjectRecord } from '../record.ts';
import { sourceToken } from '../source-token.ts';

export type ConfiguredSource = Pick<ProjectRecord, 'id' | 'sourceProjectId' | 'databaseId' | 'connection'>;

/** Access to the configuration of one database. */
export interface ConfigurationApi {
  readonly sourceProjectId: string;
  readonly databaseId: string;
  /** Paths are relative to `projects/{id}/databases/{id}` of the Admin API, and to `projects/{id}` of the Rules API. */
  readonly call: (call: ConfigurationCall) => Promise<unknown>;
}

export interface ConfigurationCall {
  readonly api: 'database' | 'rules';
  readonly path: string;
  readonly query?: Readonly<Record<string, string>> | undefined;
  readonly method?: 'GET' | 'POST' | 'PATCH';
  readonly body?: unknown;
}

/** A call that was not answered as asked, and what it means for the part of the configuration. */
export class ConfigurationError extends Error {
  readonly state: Exclude<CaptureState, 'captured'>;
  /** HTTP status; 0 without a response. */
  readonly status: number;

  constructor(state: ConfigurationError['state'], message: string, status: number) {
    super(message);
    this.name = 'ConfigurationError';
    this.state = state;
    this.status = status;
  }
}

const answerMs = 10_000;
const backoff = { attempts: 3, firstDelayMs: 200, jitter: 0.5 };

/** Sends nothing before the first call. */
export const openConfigurationApi = (tenant: Tenant, project: ConfiguredSource, signal?: AbortSignal): ConfigurationApi => {
  const { sourceProjectId, databaseId } = project;
  const root = `/v1/projects/${encodeURIComponent(sourceProjectId)}`;
  const apis = {
    database: {
      url: env('FIRESTORE_URL'),
      path: `${root}/databases/${encodeURIComponent(databaseId)}`,
      token: sourceToken(tenant, project),
    },
    rules: { url: env('FIREBASE_RULES_URL'), path: root, token: sourceToken(tenant, project, 'rules') },
  };
  return {
    sourceProjectId,
    databaseId,
    call: async ({ api, path, query = {}, method = 'GET', body }) => {
      const { url: endpoint, path: base, token } = apis[api];
      const url = new URL(`${base}${path}`, endpoint);
      for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
      const answer = await send({ url, method, body, sourceProjectId, signal }, token);
      if (answer.status >= 200 && answer.status < 300) return answer.body;
      throw refusalOf(answer);
    },
  };
};

/** Retries what is safe to repeat, and refreshes a rejected token once. */
const send = (call: Parameters<typeof sendGoogle>[0], token: TokenSupplier): Promise<GoogleAnswer> => {
  let refresh = false;
  const classify = (error: unknown): RetryVerdict => {
    if (!(error instanceof Repeatable) || call.signal?.aborted) return false;
    if (error.answer.status !== 401) return true;
    if (refresh) return false;
    refresh = true;
    return 'at-once';
  };
  return retry(backoff, {
    classify,
    work: async () => {
      const answer = await sendGoogle(call, await tokenOf(token, refresh), answerMs);
      const { status } = answer;
      if (status === 401 || ((status === 0 || status === 429 || status >= 500) && call.method !== 'POST'))
        throw new Repeatable(answer);
      return answer;
    },
  }).catch((error: unknown) => {
    if (error instanceof Repeatable) return error.answer;
    throw error;
  });
};

class Repeatable extends Error {
  readonly answer: GoogleAnswer;

  constructor(answer: GoogleAnswer) {
    super(`answered ${answer.status}`);
    this.answer = answer;
  }
}

const tokenOf = async (token: TokenSupplier, refresh: boolean): Promise<string | undefined> => {
  try {
    return await bearerOf(token, refresh);
  } catch (error) {
    if (error instanceof SourceError) throw new ConfigurationError('permission_missing', error.message, 401);
    throw error;
  }
};

const refusalOf = (answer: GoogleAnswer): ConfigurationError => {
  const { status } = answer;
  const text = googleMessage(answer) || (status === 0 ? 'There was no answer' : `Answered ${status}`);
  if (isDisabled(answer)) return new ConfigurationError('api_disabled', text, status);
  return new ConfigurationError(status === 401 || status === 403 ? 'permission_missing' : 'unavailable', text, status);
};

/** https://cloud.google.com/service-infrastructure/docs/service-management/reference/rpc/google.api#errorreason */
const isDisabled = ({ body }: GoogleAnswer): boolean => {
  const details = (body as { error?: { details?: unknown } } | null | undefined)?.error?.details;
  return Array.isArray(details) && details.some((one: { reason?: unknown } | null) => one?.reason === 'SERVICE_DISABLED');
};
