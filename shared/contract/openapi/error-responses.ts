/** The errors of an endpoint: its own, and those implied by access, input and idempotency. */
import type { Endpoint } from '../endpoint.ts';
import { type ErrorCode, errors } from '../errors.ts';

// Unknown and repeated query parameters are rejected everywhere.
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
    // Concurrent changes can conflict.
    ...(audit ? (['CONFLICT'] as const) : []),
    ...(body ? withBody : []),
    ...(isIdempotent ? idempotent : []),
    // A dependency may be unavailable.
    ...(capabilities.length > 0 || access !== 'public' ? (['SERVICE_UNAVAILABLE'] as const) : []),
  ]);
  return (Object.keys(errors) as ErrorCode[]).filter((code) => all.has(code));
};

export const errorDescriptions: Readonly<Record<ErrorCode, string>> = {
  VALIDATION_ERROR:
    'A field is invalid, or the body has more than 50,000 values; details has field and reason, and for enumerations invalidValues and allowedValues',
  AUTHORIZATION_PENDING: 'The person has not decided yet; poll again after details.interval seconds',
  SLOW_DOWN: 'Polled too soon; from now on wait 5 seconds longer between two polls (RFC 8628)',
  EXPIRED_TOKEN: 'The device code has expired; start the sign-in again',
  UNAUTHORIZED: 'The token or key is missing, expired, revoked or malformed',
  FORBIDDEN: 'Not a member, not available to API keys, or the key lacks the scope in details.requiredScope',
  PERMISSION_DENIED: 'The role is insufficient; details has requiredRole and currentRole',
  ACCESS_DENIED: 'The person denied the sign-in of the device, or signed out before it was complete',
  NOT_FOUND: 'No resource at this path',
  ORGANIZATION_NOT_FOUND: 'The organization does not exist or was deleted',
  INVITATION_NOT_FOUND: 'The invitation does not exist in this organization, or its link is invalid',
  MEMBER_NOT_FOUND: 'The member does not exist in this organization',
  SERVICE_ACCOUNT_NOT_FOUND: 'The organization has no service account',
  API_KEY_NOT_FOUND: 'No such API key',
  STORAGE_NOT_FOUND: 'The storage destination does not exist in this organization',
  PROJECT_NOT_FOUND: 'The project does not exist in this organization',
  BACKUP_NOT_FOUND: 'The backup does not exist in this organization',
  COLLECTION_NOT_FOUND: 'None of the requested collections exists; details has names (the first 100) and count',
  DOCUMENT_NOT_FOUND: 'None of the requested documents exists; details has names (the first 100) and count',
  RESTORE_NOT_FOUND: 'The restore does not exist in this organization',
  EXPORT_NOT_FOUND: 'The export does not exist in this organization',
  SCHEDULE_NOT_FOUND: 'The schedule does not exist in this organization',
  RESTORE_TEST_NOT_FOUND: 'The restore test, or its run, does not exist in this organization',
  WEBHOOK_NOT_FOUND: 'The webhook does not exist in this organization',
  DELIVERY_NOT_FOUND: 'The delivery does not exist for this webhook or alert, or is older than 30 days',
  ALERT_NOT_FOUND: 'The alert does not exist in this organization',
  INCIDENT_NOT_FOUND: 'The incident does not exist in this organization, or recovered more than 90 days ago',
  ERASURE_NOT_FOUND: 'The project has no such erasure',
  METHOD_NOT_ALLOWED: 'The path does not support this method; the Allow header lists the supported ones',
  CONFLICT: 'The state of the resource does not allow the operation, or it was changed concurrently',
  CANNOT_REMOVE_OWNER: 'The owner must transfer ownership first',
  INVITATION_EXISTS: 'The address is already invited or a member',
  SERVICE_ACCOUNT_EXISTS: 'The organization already has a service account',
  SLUG_TAKEN: 'Another organization uses this slug',
  JOB_IN_PROGRESS: 'Another job of the project is in progress',
  EVIDENCE_ALTERED: 'The evidence in the bucket is not what the service stored and signed',
  PAYLOAD_TOO_LARGE: 'The body is larger than 1 MiB',
  UNSUPPORTED_MEDIA_TYPE: 'The content type of the body is not application/json',
  IDEMPOTENCY_KEY_REUSED: 'The Idempotency-Key was used with a different body',
  SOURCE_AUTH_ERROR: 'The source rejected the credentials; reconnect the project',
  SOURCE_NOT_FOUND: 'There is no Google project or database of this id',
  SOURCE_NOT_SUPPORTED: 'The database is of a kind that cannot be backed up: the message says why',
  STORAGE_ERROR: 'The storage destination rejected an operation; details names the step and the kind of failure',
  RATE_LIMITED: 'Too many requests; wait for the seconds in Retry-After',
  INTERNAL_ERROR: 'Internal error; quote requestId when reporting it',
  SERVICE_UNAVAILABLE: 'A dependency is unavailable; retry shortly',
};
