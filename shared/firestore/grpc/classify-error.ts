import { SourceError } from './source-error.ts';
import { RpcError, type Status, transientStatuses } from './status.ts';

/** Reaction to a failed call: retry, retry after a longer back-off, retry with a new token, or fail with an error. */
type Verdict = 'retry' | 'backOff' | 'refreshToken' | SourceError;

/** Maps the status of a read to a verdict. Unexpected errors are internal and not retried. */
export const classifyError = (error: unknown): Verdict => {
  if (error instanceof SourceError) return error;
  if (!(error instanceof RpcError)) return new SourceError('INTERNAL_ERROR', 'Reading the source failed.', { cause: error });
  const { status } = error;
  if (isSnapshotLost(error))
    return new SourceError(
      'SNAPSHOT_EXPIRED',
      'The source can no longer be read at the start time of the backup. Firestore keeps one hour, or seven days with point-in-time recovery.',
      { cause: error },
    );
  if (status === 'UNAUTHENTICATED') return 'refreshToken';
  if (status === 'RESOURCE_EXHAUSTED') return 'backOff';
  if (transientStatuses.has(status)) return 'retry';
  if (denying.has(status)) return new SourceError('SOURCE_AUTH_ERROR', denialMessage(error), { cause: error });
  return new SourceError('INTERNAL_ERROR', `The source rejected a request: ${status}.`, { cause: error });
};

/** A role that may read documents. */
export const readerRole = 'roles/datastore.viewer';

/** A denial with its remedy. What Google says may end with a period. */
export const withRole = (said: string, role: string): string =>
  `${said.replace(/\.$/, '')}. Grant the connected account the role ${role}`;

const denialMessage = (error: RpcError): string => {
  const said = `${error.status} ${error.message.slice(0, 300)}`.trim();
  if (isMissing(error)) return `There is no project or database of this id: ${said}`;
  return `The source denied access: ${isRoleMissing(error) ? withRole(said, readerRole) : said}`;
};

/** Google answers for an unknown project like for one that the account must not see. */
const isMissing = ({ status, message }: RpcError): boolean =>
  status === 'NOT_FOUND' ||
  (status === 'PERMISSION_DENIED' && /on resource project|project .*not found|been deleted/i.test(message));
const isRoleMissing = ({ status, message }: RpcError): boolean =>
  status === 'PERMISSION_DENIED' && !/has not been used|disabled/i.test(message);

/** Why the source denied access, if it says so. */
export const denialReason = (error: SourceError): 'not-found' | 'role-missing' | undefined => {
  if (!(error.cause instanceof RpcError)) return undefined;
  return isMissing(error.cause) ? 'not-found' : isRoleMissing(error.cause) ? 'role-missing' : undefined;
};

/** Whether the source does not support the request, so that a fallback may be tried. */
export const isRefusal = (error: unknown): boolean => {
  const cause = error instanceof SourceError ? error.cause : error;
  return cause instanceof RpcError && !isSnapshotLost(cause) && unsupported.has(cause.status);
};

/** Firestore says "The requested snapshot version is too old", or rejects the read time. */
const isSnapshotLost = ({ status, message }: RpcError): boolean =>
  (status === 'FAILED_PRECONDITION' || status === 'INVALID_ARGUMENT') && tooOld.test(message);
const tooOld = /too old|read.?time.*\b(old|past|before|minute|hour)\b/is;

/** FAILED_PRECONDITION: the database does not support this protocol, such as one in Datastore mode. */
const denying: ReadonlySet<Status> = new Set(['PERMISSION_DENIED', 'NOT_FOUND', 'FAILED_PRECONDITION']);
const unsupported: ReadonlySet<Status> = new Set(['INVALID_ARGUMENT', 'UNIMPLEMENTED', 'FAILED_PRECONDITION', 'OUT_OF_RANGE']);
