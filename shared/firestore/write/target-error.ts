import { SourceError } from '../grpc/source-error.ts';
import { RpcError } from '../grpc/status.ts';
import { refused } from './classify-write.ts';

/**
 * Maps an error of reading a target to one of writing to it. A target that denies access or does not exist is
 * TARGET_PERMISSION_DENIED; a revoked grant stays SOURCE_AUTH_ERROR, which the project reports too.
 */
export const asTargetError = (error: unknown): unknown =>
  error instanceof SourceError &&
  error.code === 'SOURCE_AUTH_ERROR' &&
  error.cause instanceof RpcError &&
  error.cause.status !== 'UNAUTHENTICATED'
    ? refused(error.cause)
    : error;
