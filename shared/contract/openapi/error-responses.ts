/** Which errors an endpoint can answer: its own, and those its access, input and manners bring along. */
import type { Endpoint } from '../endpoint.ts';
import { type ErrorCode, errors } from '../errors.ts';

// A query parameter that is unknown or given twice is refused everywhere.
const every: readonly ErrorCode[] = ['VALIDATION_ERROR', 'RATE_LIMITED', 'INTERNAL_ERROR'];
const signedIn: readonly ErrorCode[] = ['UNAUTHORIZED', 'FORBIDDEN'];
const scoped: readonly ErrorCode[] = ['PERMISSION_DENIED', 'ORGANIZATION_NOT_FOUND'];
const withBody: readonly ErrorCode[] = ['PAYLOAD_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE'];
const idempotent: readonly ErrorCode[] = ['CONFLICT', 'IDEMPOTENCY_KEY_REUSED'];

export const errorsOf = (endpoint: Endpoint): readonly ErrorCode[] => {
  const { access, body, audit, idempotent: isIdempotent, capabilities, errors: own = [] } = endpoint;
  const all = new Set<ErrorCode>([
    ...own,
    ...every,
    ...(access === 'public' ? [] : signedIn),
    ...(typeof access === 'object' ? scoped : []),
    // Two changes can meet.
    ...(audit ? (['CONFLICT'] as const) : []),
    ...(body ? withBody : []),
    ...(isIdempotent ? idempotent : []),
    // The parts behind it may be busy.
    ...(capabilities.length > 0 || access !== 'public' ? (['SERVICE_UNAVAILABLE'] as const) : []),
  ]);
  return (Object.keys(errors) as ErrorCode[]).filter((code) => all.has(code));
};

/** What each code means, for people. */
export const errorDescriptions: Readonly<Record<ErrorCode, string>> = {
  VALIDATION_ERROR: 'A field is wrong; details has field and reason, and for enumerations invalidValues and allowedValues',
  UNAUTHORIZED: 'The token or key is missing, expired, revoked or malformed',
  FORBIDDEN: 'Not a member, a call for people only, or a key without the scope in details.requiredScope',
  PERMISSION_DENIED: 'The role is too low; details has requiredRole and currentRole',
  NOT_FOUND: 'There is nothing at this path',
  ORGANIZATION_NOT_FOUND: 'There is no such organization, or it was deleted',
  INVITATION_NOT_FOUND: 'There is no such invitation in this organization, or its link is not valid',
  MEMBER_NOT_FOUND: 'There is no such member in this organization',
  SERVICE_ACCOUNT_NOT_FOUND: 'The organization has no service account',
  STORAGE_NOT_FOUND: 'There is no such storage destination in this organization',
  PROJECT_NOT_FOUND: 'There is no such project in this organization',
  BACKUP_NOT_FOUND: 'There is no such backup in this organization',
  RESTORE_NOT_FOUND: 'There is no such restore in this organization',
  SCHEDULE_NOT_FOUND: 'There is no such schedule in this organization',
  WEBHOOK_NOT_FOUND: 'There is no such webhook in this organization',
  DELIVERY_NOT_FOUND: 'There is no such delivery of this webhook, or it is older than 30 days',
  METHOD_NOT_ALLOWED: 'The path takes other methods; the Allow header names them',
  CONFLICT: 'The state does not allow it, or someone else changed it at the same moment',
  CANNOT_REMOVE_OWNER: 'The owner must transfer ownership first',
  INVITATION_EXISTS: 'The address is invited or a member already',
  SERVICE_ACCOUNT_EXISTS: 'The organization has a service account already',
  SLUG_TAKEN: 'Another organization has this slug',
  JOB_IN_PROGRESS: 'The project has a job under way, and takes one at a time',
  PAYLOAD_TOO_LARGE: 'The body is larger than 1 MiB',
  UNSUPPORTED_MEDIA_TYPE: 'The body is not sent as application/json',
  IDEMPOTENCY_KEY_REUSED: 'The Idempotency-Key was used with another body',
  SOURCE_AUTH_ERROR: 'The source project does not let us in; reconnect the project',
  STORAGE_ERROR: 'The storage destination refused; details says at which step',
  RATE_LIMITED: 'Too many requests; Retry-After says when to come back',
  INTERNAL_ERROR: 'Something went wrong on our side; requestId helps us find it',
  SERVICE_UNAVAILABLE: 'Something behind the service does not answer; try again shortly',
};
