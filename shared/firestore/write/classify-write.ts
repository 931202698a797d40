import { SourceError } from '../grpc/source-error.ts';
import { RpcError, type Status } from '../grpc/status.ts';
import type { WriteStatus } from './batch-response.ts';
import type { Condition } from './precondition.ts';

/** What to make of one write: it is done, its condition was not met, send it again (after a longer rest), or it never will be done. */
export type WriteVerdict = 'written' | 'unmet' | 'again' | 'rest' | 'failed' | SourceError;

/** What to make of a request that failed as a whole: send it again, after a longer rest, with a new token, or in smaller pieces. */
export type RequestVerdict = 'again' | 'rest' | 'refresh' | 'split' | SourceError;

/** Says what a status means for a write. One of permission is not about the document: the job is over. */
export const classifyWrite = ({ status, message }: WriteStatus, condition: Condition | undefined): WriteVerdict => {
  if (status === 'OK') return 'written';
  if (condition !== undefined && unmet.has(status)) return 'unmet';
  if (status === 'RESOURCE_EXHAUSTED') return 'rest';
  if (passing.has(status)) return 'again';
  if (status === 'PERMISSION_DENIED' || status === 'UNAUTHENTICATED') return refused(new RpcError(status, message));
  return 'failed';
};

/** What is told of a write whose condition was not met. */
export const changed: WriteStatus = {
  status: 'FAILED_PRECONDITION',
  message: 'Changed in the target since it was saved; restore it again',
};
export const unstable: WriteStatus = { status: 'ABORTED', message: 'Someone else creates and deletes this document.' };

/** Says what a failed request means. One write that the target finds impossible fails a request of 500: the others have to go on. */
export const classifyRequest = (error: RpcError): RequestVerdict => {
  const { status } = error;
  if (status === 'UNAUTHENTICATED') return 'refresh';
  // gRPC servers answer a message beyond their limit with the status of an exhausted quota; waiting does not make it smaller.
  if (status === 'RESOURCE_EXHAUSTED') return isLargerThanMax(error) ? 'split' : 'rest';
  if (passing.has(status)) return 'again';
  // FAILED_PRECONDITION: a database that does not speak this protocol, such as one in Datastore mode.
  if (refusing.has(status)) return refused(error);
  return 'split';
};

/** After these a write may have been applied all the same: the answer was lost, not the request. */
export const isOutcomeUnknown = (status: Status): boolean => passing.has(status) && status !== 'ABORTED';

/** Whether a failure is one of a target that is not there, whatever it was asked. */
export const isOutage = (status: Status): boolean =>
  status === 'UNAVAILABLE' || status === 'DEADLINE_EXCEEDED' || status === 'CANCELLED';

/** In the target's words: more than it takes in one request. */
export const isTooLarge = (error: RpcError): boolean =>
  /too (large|big|many)|exceeds/i.test(error.message) || isLargerThanMax(error);

/** The target does not let the job write; trying again will not help. */
export const refused = (cause: RpcError): SourceError =>
  new SourceError('TARGET_PERMISSION_DENIED', `The target refused: ${cause.status} ${cause.message.slice(0, 300)}`.trim(), {
    cause,
  });

/** A failure in the words of reading, where what refuses is a source, as one of the target. */
export const asWriteError = (error: unknown): unknown => {
  if (!(error instanceof SourceError) || error.code !== 'SOURCE_AUTH_ERROR') return error;
  if (error.cause instanceof RpcError) return refused(error.cause);
  return new SourceError('TARGET_PERMISSION_DENIED', error.message, { cause: error });
};

/** "Received message larger than max (5000000 vs. 4194304)": the words of every gRPC implementation. */
const isLargerThanMax = ({ message }: RpcError): boolean => /message larger than max/i.test(message);

/** There is one, there is another, there is none. */
const unmet: ReadonlySet<Status> = new Set(['ALREADY_EXISTS', 'FAILED_PRECONDITION', 'NOT_FOUND']);
const passing: ReadonlySet<Status> = new Set(['ABORTED', 'UNAVAILABLE', 'DEADLINE_EXCEEDED', 'INTERNAL', 'UNKNOWN', 'CANCELLED']);
const refusing: ReadonlySet<Status> = new Set(['PERMISSION_DENIED', 'NOT_FOUND', 'FAILED_PRECONDITION', 'UNIMPLEMENTED']);
