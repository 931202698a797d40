import { SourceError } from '../grpc/source-error.ts';
import { RpcError } from '../grpc/status.ts';
import { refused } from './classify-write.ts';

/**
 * What an error of reading a target means for whoever is to write to it. One that knows us and does not let us in, or has no such
 * database, is TARGET_PERMISSION_DENIED; that our access itself is gone stays SOURCE_AUTH_ERROR, and the project says so, too.
 */
export const asTargetError = (error: unknown): unknown =>
  error instanceof SourceError &&
  error.code === 'SOURCE_AUTH_ERROR' &&
  error.cause instanceof RpcError &&
  error.cause.status !== 'UNAUTHENTICATED'
    ? refused(error.cause)
    : error;
