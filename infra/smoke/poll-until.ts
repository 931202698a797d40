/** Polls until the result is final, at growing intervals. */
import { setTimeout as pause } from 'node:timers/promises';
import { StepError } from './client.ts';

interface Patience {
  readonly what: string;
  readonly minutes: number;
  readonly signal: AbortSignal;
}

const firstMs = 250;
const longestMs = 5_000;

export const pollUntil = async <T>(
  { what, minutes, signal }: Patience,
  ask: () => Promise<T>,
  isLast: (answer: T) => boolean,
): Promise<T> => {
  const endMs = Date.now() + minutes * 60_000;
  for (let waitMs = firstMs; ; waitMs = Math.min(1.5 * waitMs, longestMs)) {
    const answer = await ask();
    if (isLast(answer)) return answer;
    if (Date.now() >= endMs) throw new StepError(`${what} took longer than ${minutes} minutes`);
    await pause(waitMs, undefined, { signal }).catch(() => {
      throw new StepError('interrupted');
    });
  }
};
