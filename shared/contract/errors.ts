/** Every error code of the API with its HTTP status. */
export const errors = {
  VALIDATION_ERROR: 400,
  AUTHORIZATION_PENDING: 400,
  SLOW_DOWN: 400,
  EXPIRED_TOKEN: 400,
  UNAUTHORIZED: 401,
  FORBIDDEN: 403,
  PERMISSION_DENIED: 403,
  ACCESS_DENIED: 403,
  NOT_FOUND: 404,
  ORGANIZATION_NOT_FOUND: 404,
  INVITATION_NOT_FOUND: 404,
  MEMBER_NOT_FOUND: 404,
  SERVICE_ACCOUNT_NOT_FOUND: 404,
  API_KEY_NOT_FOUND: 404,
  STORAGE_NOT_FOUND: 404,
  PROJECT_NOT_FOUND: 404,
  BACKUP_NOT_FOUND: 404,
  COLLECTION_NOT_FOUND: 404,
  DOCUMENT_NOT_FOUND: 404,
  RESTORE_NOT_FOUND: 404,
  EXPORT_NOT_FOUND: 404,
  SCHEDULE_NOT_FOUND: 404,
  RESTORE_TEST_NOT_FOUND: 404,
  WEBHOOK_NOT_FOUND: 404,
  DELIVERY_NOT_FOUND: 404,
  ALERT_NOT_FOUND: 404,
  INCIDENT_NOT_FOUND: 404,
  ERASURE_NOT_FOUND: 404,
  METHOD_NOT_ALLOWED: 405,
  CONFLICT: 409,
  CANNOT_REMOVE_OWNER: 409,
  INVITATION_EXISTS: 409,
  SERVICE_ACCOUNT_EXISTS: 409,
  SLUG_TAKEN: 409,
  JOB_IN_PROGRESS: 409,
  EVIDENCE_ALTERED: 409,
  PAYLOAD_TOO_LARGE: 413,
  UNSUPPORTED_MEDIA_TYPE: 415,
  IDEMPOTENCY_KEY_REUSED: 422,
  SOURCE_AUTH_ERROR: 422,
  SOURCE_NOT_FOUND: 422,
  SOURCE_NOT_SUPPORTED: 422,
  STORAGE_ERROR: 422,
  RATE_LIMITED: 429,
  INTERNAL_ERROR: 500,
  SERVICE_UNAVAILABLE: 503,
} as const;

export type ErrorCode = keyof typeof errors;

/** Values of a job's `error.code`. */
export const jobErrors = [
  'SOURCE_AUTH_ERROR',
  'STORAGE_UPLOAD_ERROR',
  'STORAGE_READ_ERROR',
  'BACKUP_TIMEOUT',
  'SNAPSHOT_EXPIRED',
  'COLLECTION_NOT_FOUND',
  'DOCUMENT_NOT_FOUND',
  'COUNT_MISMATCH',
  'PLAN_CHANGED',
  'TRANSFORM_INVALID',
  'CHUNK_CORRUPT',
  'KEY_UNAVAILABLE',
  'WRITE_QUOTA_EXCEEDED',
  'TARGET_PERMISSION_DENIED',
  'JOB_IN_PROGRESS',
  'SCHEDULE_MISSED',
  'SCHEDULE_OVERDUE',
  'BACKUP_NOT_FOUND',
  'PROJECT_NOT_FOUND',
  'CONFLICT',
  'DIFFERENCES_FOUND',
  'CHECK_FAILED',
  'CHECK_TIMEOUT',
  'CLEANUP_FAILED',
  'EVIDENCE_ERROR',
  'CANCELLED',
  'INTERNAL_ERROR',
] as const;
export type JobErrorCode = (typeof jobErrors)[number];

export type ErrorDetails = Readonly<Record<string, unknown>>;

/** The only error whose message reaches the caller. Any other becomes INTERNAL_ERROR without details. */
export class ApiError extends Error {
  readonly code: ErrorCode;
  readonly details: ErrorDetails | undefined;
  /** Extra response headers, such as Allow or Retry-After. */
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    code: ErrorCode,
    message: string,
    details?: ErrorDetails,
    options: { cause?: unknown; headers?: Record<string, string> } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'ApiError';
    this.code = code;
    this.details = details;
    this.headers = options.headers ?? {};
  }

  get status(): number {
    return errors[this.code];
  }
}

/** Names the invalid field and the reason. */
export const invalid = (field: string, reason: string, more: ErrorDetails = {}): ApiError =>
  new ApiError('VALIDATION_ERROR', `${field}: ${reason}`, { field, reason, ...more });

/** The problems that a VALIDATION_ERROR names. */
const problemsOf = ({ details = {} }: ApiError): readonly unknown[] =>
  Array.isArray(details.errors) ? details.errors : [details];

/** At most this many problems are returned. */
export const problemsMax = 100;

/** Throws the first VALIDATION_ERROR with the problems of all of them in `details.errors`. */
export const throwInvalid = (found: readonly (ApiError | undefined)[]): void => {
  const failed = found.filter((error) => error !== undefined);
  const [first] = failed;
  if (!first) return;
  if (failed.length === 1) throw first;
  const errors = failed.flatMap(problemsOf).slice(0, problemsMax);
  throw new ApiError('VALIDATION_ERROR', first.message, { ...first.details, errors }, { cause: first });
};

/** The VALIDATION_ERROR that a check throws. */
export const invalidIn = (check: () => unknown): ApiError | undefined => {
  try {
    check();
    return undefined;
  } catch (error) {
    if (error instanceof ApiError && error.code === 'VALIDATION_ERROR') return error;
    throw error;
  }
};

/**
 * What a check finds in a body without the fields that its schema rejected. Problems of these fields are left out: the check takes them
 * for missing, but the caller has sent them.
 */
export const invalidBesides = (rejected: ApiError, check: () => unknown): ApiError | undefined => {
  const found = invalidIn(check);
  const names = new Set(problemsOf(rejected).map(rootOf));
  const [first, ...more] = found ? problemsOf(found).filter((problem) => !names.has(rootOf(problem))) : [];
  if (!first) return undefined;
  const { field, reason, ...details } = first as { readonly field: string; readonly reason: string } & ErrorDetails;
  return invalid(field, reason, more.length > 0 ? { ...details, errors: [first, ...more] } : details);
};

const rootOf = (problem: unknown): string => (problem as { readonly field: string }).field.split('.')[0] ?? '';

/** Runs all checks, so that the caller learns all problems at once. */
export const checkAll = (...checks: readonly (() => unknown)[]): void => throwInvalid(checks.map(invalidIn));

/** HTTP requires WWW-Authenticate in a 401 response. */
export const bearerChallenge = { 'www-authenticate': 'Bearer' };
export const unauthorized = (message: string): ApiError =>
  new ApiError('UNAUTHORIZED', message, undefined, { headers: bearerChallenge });
