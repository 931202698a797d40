/** The permission an SQS call needs. */
import { AwsError, type Json, type Need, type Operation, text } from '../../base/aws-service.ts';

// A batch needs the permission of the single operation.
const actions: Readonly<Record<string, string>> = {
  SendMessage: 'SendMessage',
  SendMessageBatch: 'SendMessage',
  ReceiveMessage: 'ReceiveMessage',
  DeleteMessage: 'DeleteMessage',
  DeleteMessageBatch: 'DeleteMessage',
  ChangeMessageVisibility: 'ChangeMessageVisibility',
  ChangeMessageVisibilityBatch: 'ChangeMessageVisibility',
  GetQueueAttributes: 'GetQueueAttributes',
  GetQueueUrl: 'GetQueueUrl',
  PurgeQueue: 'PurgeQueue',
  ListQueues: 'ListQueues',
};

/** Moving dead letters needs the permissions of a receiver. The destination comes from the redrive policy. */
const moving = ['StartMessageMoveTask', 'ReceiveMessage', 'DeleteMessage', 'GetQueueAttributes'];

export const requiredPermissions = ({ action, input }: Operation, arnPrefix: string): readonly Need[] | undefined => {
  if (action === 'StartMessageMoveTask')
    return moving.map((each) => ({ action: `sqs:${each}`, resources: [text(input, 'SourceArn')] }));
  if (action === 'ListMessageMoveTasks') return [{ action: `sqs:${action}`, resources: [text(input, 'SourceArn')] }];
  const permission = Object.hasOwn(actions, action) ? actions[action] : undefined;
  if (!permission) return undefined;
  const resource = action === 'ListQueues' ? '*' : `${arnPrefix}${queueNameOf(input)}`;
  return [{ action: `sqs:${permission}`, resources: [resource] }];
};

/** A queue is given by URL or by name. */
export const queueNameOf = (input: Json): string => {
  const { QueueUrl: url, QueueName: name } = input;
  if (typeof name === 'string') return name;
  if (typeof url === 'string') return url.slice(url.lastIndexOf('/') + 1);
  throw new AwsError('MissingParameter', 'The request must contain the parameter QueueUrl.');
};
