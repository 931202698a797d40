/** Errors of calls. */

interface Refusal {
  readonly route: string;
  readonly status: number;
  readonly code: string;
  readonly message: string;
  readonly details: Readonly<Record<string, unknown>>;
  readonly requestId: string | null;
  readonly retryAfter: number | null;
}

/** The service refused a call. `code` is one of the API's error codes, or UNKNOWN if the response is not from the service. */
export class ApiFailure extends Error {
  override readonly name = 'ApiFailure';
  /** Method and path, without the query. */
  readonly route: string;
  readonly status: number;
  readonly code: string;
  readonly details: Readonly<Record<string, unknown>>;
  readonly requestId: string | null;
  /** In seconds. */
  readonly retryAfter: number | null;

  constructor({ route, status, code, message, details, requestId, retryAfter }: Refusal) {
    super(message);
    this.route = route;
    this.status = status;
    this.code = code;
    this.details = details;
    this.requestId = requestId;
    this.retryAfter = retryAfter;
  }
}

/** No response arrived: the connection was lost or timed out. The call may or may not have taken effect. */
export class NetworkFailure extends Error {
  override readonly name = 'NetworkFailure';
  readonly code = 'NETWORK_FAILURE';
  readonly route: string;

  constructor(route: string, reason: string, cause: unknown) {
    super(`${route}: ${reason}`, { cause });
    this.route = route;
  }
}
