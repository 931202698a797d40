/** The typed client for steps: a failed call is reported in one line with the request's id. */
import { type Answer, type Client as ApiClient, ApiFailure, openClient as open } from '../../shared/client/index.ts';

/** A failed step: one line with the call and its response. */
export class StepError extends Error {
  readonly status: number | undefined;

  constructor(message: string, status?: number) {
    super(message);
    this.status = status;
  }
}

export interface Client extends Pick<ApiClient, 'request'> {
  /** Returns the response to a GET of this path; redirects are not followed. */
  get(path: string): Promise<Answer>;
}

interface Caller {
  readonly token?: string | undefined;
  readonly organizationId?: string | undefined;
}

export const openClient = (url: string, { token, organizationId }: Caller = {}): Client => {
  const client = open({
    baseUrl: url,
    token,
    organizationId,
    redirect: 'manual',
    headers: { 'user-agent': 'backup-management-service-smoke' },
  });
  return {
    get: (path) => client.send(`GET ${path as `/${string}`}`).catch(fail),
    request: (route, ...input) => client.request(route, ...input).catch(fail),
  };
};

const fail = (error: Error): never => {
  if (!(error instanceof ApiFailure)) throw new StepError(error.message);
  const { route, status, code, message, requestId } = error;
  const said = code === 'UNKNOWN' ? 'with a body that is not from this service' : `${code}: ${message}`;
  throw new StepError(`${route} answered ${status} ${said}${requestId ? ` (request ${requestId})` : ''}`, status);
};
