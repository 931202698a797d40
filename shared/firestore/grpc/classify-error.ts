import { SourceError } from './source-error.ts';
import { RpcError, type Status } from './status.ts';

/** What to do about a failed call: try again, try again after a longer rest, try with a new token, or give up. */
export type Verdict = 'again' | 'rest' | 'refresh' | SourceError;

/** The one place that says what a status means for a backup. Whatever is unforeseen is ours, and not tried again. */
export const classifyError = (error: unknown): Verdict => {
  if (error instanceof SourceError) return error;
  if (!(error instanceof RpcError)) return new SourceError('INTERNAL_ERROR', 'Reading the source failed.', { cause: error });
  const { status, message } = error;
  if (isSnapshotLost(error))
    return new SourceError(
      'SNAPSHOT_EXPIRED',
      'The source can no longer be read as of the start of the backup. It keeps an hour; with point-in-time recovery, seven days.',
      { cause: error },
    );
  if (status === 'UNAUTHENTICATED') return 'refresh';
  if (status === 'RESOURCE_EXHAUSTED') return 'rest';
  if (passing.has(status)) return 'again';
  if (refusing.has(status))
    return new SourceError('SOURCE_AUTH_ERROR', `The source refused: ${status} ${message.slice(0, 300)}`.trim(), {
      cause: error,
    });
  return new SourceError('INTERNAL_ERROR', `The source did not take a request: ${status}.`, { cause: error });
};

/** Whether the source says that it does not do this at all, so that another way may be tried. */
export const isRefusal = (error: unknown): boolean => {
  const cause = error instanceof SourceError ? error.cause : error;
  return cause instanceof RpcError && !isSnapshotLost(cause) && unwilling.has(cause.status);
};

/** In the service's words: "The requested snapshot version is too old", or a read time that is no longer one it takes. */
const isSnapshotLost = ({ status, message }: RpcError): boolean =>
  (status === 'FAILED_PRECONDITION' || status === 'INVALID_ARGUMENT') && tooOld.test(message);
const tooOld = /too old|read.?time.*\b(old|past|before|minute|hour)\b/is;

const passing: ReadonlySet<Status> = new Set(['UNAVAILABLE', 'DEADLINE_EXCEEDED', 'INTERNAL', 'ABORTED', 'CANCELLED', 'UNKNOWN']);
/** FAILED_PRECONDITION: a database that does not speak this protocol, such as one in Datastore mode. */
const refusing: ReadonlySet<Status> = new Set(['PERMISSION_DENIED', 'NOT_FOUND', 'FAILED_PRECONDITION']);
const unwilling: ReadonlySet<Status> = new Set(['INVALID_ARGUMENT', 'UNIMPLEMENTED', 'FAILED_PRECONDITION', 'OUT_OF_RANGE']);
