/** The client of the table. Only files of `platform` that read or write the table import it. */
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { StandardRetryStrategy } from '@smithy/core/retry';
import { isAwsError } from '../aws-client/is-aws-error.ts';
import { OutcomeUnknownError } from '../aws-client/outcome-unknown-error.ts';
import { maxAttempts, sdkConfig } from '../aws-client/sdk-config.ts';
import { readNumber } from './item-values.ts';

type Refresh = StandardRetryStrategy['refreshRetryTokenForRetry'];

/** The SDK's strategy, with its retry quota, and a different view of two errors of transactions. */
class TableRetryStrategy extends StandardRetryStrategy {
  override refreshRetryTokenForRetry(...[token, info]: Parameters<Refresh>): ReturnType<Refresh> {
    // A single write met a transaction. That says nothing about its condition, and the SDK would give up.
    if (isAwsError(info.error, 'TransactionConflictException'))
      return super.refreshRetryTokenForRetry(token, { ...info, errorType: 'THROTTLING' });
    // `commit` retries it with a back-off of its own.
    if (isAwsError(info.error, 'TransactionInProgressException'))
      return super.refreshRetryTokenForRetry(token, { ...info, errorType: 'CLIENT_ERROR' });
    return super.refreshRetryTokenForRetry(token, info);
  }
}

const client = new DynamoDBClient({ ...sdkConfig, retryStrategy: new TableRetryStrategy(maxAttempts) });

/** The last failure of each call that left its outcome open. */
const lostAnswers = new WeakMap<object, Error>();

/** A failure leaves the outcome open unless DynamoDB refused the try. */
const isLost = (error: Error & { readonly $metadata?: { readonly httpStatusCode?: number } }): boolean => {
  const status = error.$metadata?.httpStatusCode ?? 0;
  return status < 400 || status >= 500;
};

// At this step a middleware runs once per try.
client.middlewareStack.add(
  (next, context) => async (given) => {
    try {
      return await next(given);
    } catch (error) {
      if (error instanceof Error && isLost(error)) lostAnswers.set(context, error);
      throw error;
    }
  },
  { step: 'finalizeRequest', priority: 'low', name: 'rememberLostAnswer' },
);

// At this step a middleware runs once per call.
client.middlewareStack.add(
  (next, context) => async (given) => {
    try {
      return await next(given);
    } catch (error) {
      const lost = lostAnswers.get(context);
      if (lost && isAwsError(error, 'ConditionalCheckFailedException')) throw new OutcomeUnknownError(lost);
      throw error;
    }
  },
  { step: 'initialize', name: 'tellLostAnswer' },
);

export const tableClient = DynamoDBDocumentClient.from(client, {
  marshallOptions: { removeUndefinedValues: true },
  unmarshallOptions: { wrapNumbers: readNumber },
});
