/** Delays that run faster: what a call asks SQS to wait, divided by the scale. */

import { AwsError, type Json } from '../../base/aws-service.ts';
import { queueNameOf } from './required-permissions.ts';

const delaySecondsMax = 900;
/** `0` would lose the message: fauxqs fails to write it down. A thousandth of a second is soon enough. */
export const soonSeconds = 0.001;

/** The input of a call as fauxqs is to get it. `queueDelays` are those of the queues themselves, for messages that ask for none. */
export const makeDelays = (
  delayScale: number,
  queueDelays: ReadonlyMap<string, number>,
): ((action: string, input: Json) => Json) => {
  const backOff = (seconds: unknown): unknown =>
    typeof seconds === 'number' ? Math.max(seconds / delayScale, soonSeconds) : seconds;

  const delay = (entry: Json, queue: string): Json => {
    const { DelaySeconds: asked } = entry;
    if (typeof asked === 'number' && (asked < 0 || asked > delaySecondsMax))
      throw new AwsError(
        'InvalidParameterValue',
        `Value ${asked} for parameter DelaySeconds is invalid. Reason: must be >= 0 and <= 900.`,
      );
    const seconds = typeof asked === 'number' ? asked : (queueDelays.get(queue) ?? 0);
    return queue.endsWith('.fifo') ? entry : { ...entry, DelaySeconds: seconds / delayScale };
  };

  return (action, input) => {
    const entries = (input.Entries ?? []) as readonly Json[];
    const visible = (entry: Json): Json => ({ ...entry, VisibilityTimeout: backOff(entry.VisibilityTimeout) });
    if (action === 'SendMessage') return delay(input, queueNameOf(input));
    if (action === 'SendMessageBatch') return { ...input, Entries: entries.map((entry) => delay(entry, queueNameOf(input))) };
    if (action === 'ChangeMessageVisibility') return visible(input);
    if (action === 'ChangeMessageVisibilityBatch') return { ...input, Entries: entries.map(visible) };
    return input;
  };
};
