/** The DynamoDB client. Only files of this folder import it. */
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { StandardRetryStrategy } from '@smithy/core/retry';
import { isAwsError } from '../aws-client/is-aws-error.ts';
import { OutcomeUnknownError } from '../aws-client/outcome-unknown-error.ts';
import { maxAttempts, sdkConfig } from '../aws-client/sdk-config.ts';
import { warm } from '../warm.ts';
import { readNumber } from './item-values.ts';

type Refresh = StandardRetryStrategy['refreshRetryTokenForRetry'];

/** The SDK's strategy with its retry quota, except for two errors of transactions. */
class TableRetryStrategy extends StandardRetryStrategy {
  override refreshRetryTokenForRetry(...[token, info]: Parameters<Refresh>): ReturnType<Refresh> {
    // A single write clashed with a transaction. That says nothing about its condition, but the SDK would not retry it.
    if (isAwsError(info.error, 'TransactionConflictException'))
      return super.refreshRetryTokenForRetry(token, { ...info, errorType: 'THROTTLING' });
    // `commit` retries it with its own back-off.
    if (isAwsError(info.error, 'TransactionInProgressException'))
      return super.refreshRetryTokenForRetry(token, { ...info, errorType: 'CLIENT_ERROR' });
    return super.refreshRetryTokenForRetry(token, info);
  }
}

/** The outcome of a failed attempt is unknown unless DynamoDB rejected it. */
const isLost = (error: Error & { readonly $metadata?: { readonly httpStatusCode?: number } }): boolean => {
  const status = error.$metadata?.httpStatusCode ?? 0;
  return status < 400 || status >= 500;
};

export const tableClient = warm((): DynamoDBDocumentClient => {
  const client = new DynamoDBClient({ ...sdkConfig, retryStrategy: new TableRetryStrategy(maxAttempts) });
  /** The last failure of each call whose outcome is unknown. */
  const lostResponses = new WeakMap<object, Error>();
  // At this step a middleware runs once per attempt.
  client.middlewareStack.add(
    (next, context) => async (args) => {
      try {
        return await next(args);
      } catch (error) {
        if (error instanceof Error && isLost(error)) lostResponses.set(context, error);
        throw error;
      }
    },
    { step: 'finalizeRequest', priority: 'low', name: 'rememberLostResponse' },
  );
  // At this step a middleware runs once per call.
  client.middlewareStack.add(
    (next, context) => async (args) => {
      try {
        return await next(args);
      } catch (error) {
        const lost = lostResponses.get(context);
        if (lost && isAwsError(error, 'ConditionalCheckFailedException')) throw new OutcomeUnknownError(lost);
        throw error;
      }
    },
    { step: 'initialize', name: 'reportLostResponse' },
  );
  return DynamoDBDocumentClient.from(client, {
    marshallOptions: { removeUndefinedValues: true },
    unmarshallOptions: { wrapNumbers: readNumber },
  });
});
