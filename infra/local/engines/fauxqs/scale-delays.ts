/** Scales down the delays of SQS calls. */

import { AwsError, type Json } from '../../base/aws-service.ts';
import { queueNameOf } from './required-permissions.ts';

const delaySecondsMax = 900;
/** fauxqs fails to store a delay of 0 and would lose the message. */
export const minDelaySeconds = 0.001;

/** Rewrites the input of a call. `queueDelays` apply to messages without their own delay. */
export const scaleDelays = (
  delayScale: number,
  queueDelays: ReadonlyMap<string, number>,
): ((action: string, input: Json) => Json) => {
  const backOff = (seconds: unknown): unknown =>
    typeof seconds === 'number' ? Math.max(seconds / delayScale, minDelaySeconds) : seconds;

  const delay = (entry: Json, queue: string): Json => {
    const { DelaySeconds: requested } = entry;
    if (typeof requested === 'number' && (requested < 0 || requested > delaySecondsMax))
      throw new AwsError(
        'InvalidParameterValue',
        `Value ${requested} for parameter DelaySeconds is invalid. Reason: must be >= 0 and <= 900.`,
      );
    const seconds = typeof requested === 'number' ? requested : (queueDelays.get(queue) ?? 0);
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
