import { withRole } from '../grpc/classify-error.ts';
import { SourceError } from '../grpc/source-error.ts';
import { RpcError, type Status, transientStatuses } from '../grpc/status.ts';
import type { Condition } from './precondition.ts';
import type { WriteStatus } from './write-statuses.ts';

/** Outcome of one write: done, precondition failed, retry, retry after a longer back-off, or failed for good. */
type WriteVerdict = 'written' | 'unmet' | 'retry' | 'backOff' | 'failed' | SourceError;

/** Reaction to a failed request: retry, retry after a longer back-off, with a new token, or in smaller pieces. */
type RequestVerdict = 'retry' | 'backOff' | 'refreshToken' | 'split' | SourceError;

/** Maps the status of a write. A permission error is not about the document: it ends the job. */
export const classifyWrite = ({ status, message }: WriteStatus, condition: Condition | undefined): WriteVerdict => {
  if (status === 'OK') return 'written';
  if (condition !== undefined && unmetStatuses.has(status)) return 'unmet';
  if (status === 'RESOURCE_EXHAUSTED') return 'backOff';
  if (transientStatuses.has(status)) return 'retry';
  if (status === 'PERMISSION_DENIED' || status === 'UNAUTHENTICATED') return refused(new RpcError(status, message));
  return 'failed';
};

/** Status of a write whose precondition failed. */
export const changed: WriteStatus = {
  status: 'FAILED_PRECONDITION',
  message: 'Changed in the target since it was saved; restore it again',
};
export const unstable: WriteStatus = { status: 'ABORTED', message: 'Another client keeps creating and deleting this document.' };

/** Maps the status of a failed request. One impossible write fails a request of 500, so the others are retried apart. */
export const classifyRequest = (error: RpcError): RequestVerdict => {
  const { status } = error;
  if (status === 'UNAUTHENTICATED') return 'refreshToken';
  // gRPC servers reject an oversized message with this status; waiting does not make it smaller.
  if (status === 'RESOURCE_EXHAUSTED') return isLargerThanMax(error) ? 'split' : 'backOff';
  if (transientStatuses.has(status)) return 'retry';
  // FAILED_PRECONDITION: the database does not support this protocol, such as one in Datastore mode.
  if (denying.has(status)) return refused(error);
  return 'split';
};

/** Whether a write may have been applied although it failed: the response was lost, not the request. */
export const isWriteOutcomeUnknown = (status: Status): boolean => transientStatuses.has(status) && status !== 'ABORTED';

/** Whether the target is unreachable, whatever was sent. */
export const isOutage = (status: Status): boolean =>
  status === 'UNAVAILABLE' || status === 'DEADLINE_EXCEEDED' || status === 'CANCELLED';

/** Whether the target reports an oversized request. */
export const isTooLarge = (error: RpcError): boolean =>
  /too (large|big|many)|exceeds/i.test(error.message) || isLargerThanMax(error);

/** The target denies writes; retrying does not help. */
export const refused = (cause: RpcError): SourceError =>
  new SourceError('TARGET_PERMISSION_DENIED', `The target denied access: ${said(cause)}`, { cause });

const said = ({ status, message }: RpcError): string => {
  const text = `${status} ${message.slice(0, 300)}`.trim();
  return status === 'PERMISSION_DENIED' ? withRole(text, 'roles/datastore.user') : text;
};

/** Turns an access error of a source into one of the target. */
export const asWriteError = (error: unknown): unknown => {
  if (!(error instanceof SourceError) || error.code !== 'SOURCE_AUTH_ERROR') return error;
  if (error.cause instanceof RpcError) return refused(error.cause);
  return new SourceError('TARGET_PERMISSION_DENIED', error.message, { cause: error });
};

/**
 * Maps an error of reading a target to one of writing to it. A target that denies access or does not exist is
 * TARGET_PERMISSION_DENIED; a revoked grant stays SOURCE_AUTH_ERROR, which the project reports too.
 */
export const asTargetError = (error: unknown): unknown =>
  error instanceof SourceError && error.cause instanceof RpcError && error.cause.status !== 'UNAUTHENTICATED'
    ? asWriteError(error)
    : error;

/** "Received message larger than max (5000000 vs. 4194304)", as all gRPC implementations say. */
const isLargerThanMax = ({ message }: RpcError): boolean => /message larger than max/i.test(message);

/** The document exists, has changed, or is missing. */
const unmetStatuses: ReadonlySet<Status> = new Set(['ALREADY_EXISTS', 'FAILED_PRECONDITION', 'NOT_FOUND']);
const denying: ReadonlySet<Status> = new Set(['PERMISSION_DENIED', 'NOT_FOUND', 'FAILED_PRECONDITION', 'UNIMPLEMENTED']);
