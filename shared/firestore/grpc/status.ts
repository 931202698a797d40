/** gRPC status codes, indexed by number. */
const names = [
  'OK',
  'CANCELLED',
  'UNKNOWN',
  'INVALID_ARGUMENT',
  'DEADLINE_EXCEEDED',
  'NOT_FOUND',
  'ALREADY_EXISTS',
  'PERMISSION_DENIED',
  'RESOURCE_EXHAUSTED',
  'FAILED_PRECONDITION',
  'ABORTED',
  'OUT_OF_RANGE',
  'UNIMPLEMENTED',
  'INTERNAL',
  'UNAVAILABLE',
  'DATA_LOSS',
  'UNAUTHENTICATED',
] as const;

export type Status = (typeof names)[number];

/** Statuses of failures that a later attempt may not have. */
export const transientStatuses: ReadonlySet<Status> = new Set([
  'UNAVAILABLE',
  'DEADLINE_EXCEEDED',
  'INTERNAL',
  'ABORTED',
  'CANCELLED',
  'UNKNOWN',
]);

/** A failed call, with the status of the server or the one that a lost connection maps to. */
export class RpcError extends Error {
  readonly status: Status;

  constructor(status: Status, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'RpcError';
    this.status = status;
  }
}

/** Unknown codes map to UNKNOWN. */
export const statusOf = (code: number): Status => names[code] ?? 'UNKNOWN';

/** The failure that the trailers report; undefined on success. */
export const rpcErrorOf = (headers: Readonly<Record<string, unknown>>): RpcError | undefined => {
  const status = statusOf(Number(headers['grpc-status']));
  return status === 'OK' ? undefined : new RpcError(status, decoded(String(headers['grpc-message'] ?? '')));
};

/** Maps an HTTP response without gRPC status, such as one of a proxy. */
export const failureOfHttp = (httpStatus: number): RpcError =>
  new RpcError(httpStatuses[httpStatus] ?? 'UNKNOWN', `The source answered with HTTP status ${httpStatus}.`);

const httpStatuses: Readonly<Record<number, Status>> = {
  400: 'INTERNAL',
  401: 'UNAUTHENTICATED',
  403: 'PERMISSION_DENIED',
  404: 'UNIMPLEMENTED',
  429: 'UNAVAILABLE',
  502: 'UNAVAILABLE',
  503: 'UNAVAILABLE',
  504: 'UNAVAILABLE',
};

const decoded = (message: string): string => {
  try {
    return decodeURIComponent(message);
  } catch {
    return message;
  }
};
