import type { Attributes } from './attribute.ts';
import { jsonCall } from './aws-json.ts';

type Unprocessed<T> = Readonly<Record<string, T>>;

/** What the operations answer, as far as we look at it. */
interface Answers {
  BatchGetItem: {
    readonly Responses?: Readonly<Record<string, readonly Attributes[]>>;
    readonly UnprocessedKeys?: Unprocessed<{ readonly Keys: readonly Attributes[] }>;
  };
  BatchWriteItem: { readonly UnprocessedItems?: Unprocessed<readonly object[]> };
  DeleteItem: { readonly Attributes?: Attributes };
  PutItem: object;
  Query: { readonly Items?: readonly Attributes[]; readonly LastEvaluatedKey?: Attributes };
  TransactWriteItems: object;
  UpdateItem: { readonly Attributes?: Attributes };
}

/** One call of DynamoDB, for this room's doors to the table; values go and come as attributes. */
export const dynamodb = <Operation extends keyof Answers>(operation: Operation, input: object): Promise<Answers[Operation]> =>
  jsonCall('dynamodb', operation, input);
