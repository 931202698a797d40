/** A walk is a row of steps, each told in a line, and of what they made, which is removed at its end in the opposite order. */
import { StepError } from './client.ts';

export type Say = (line: string) => void;

export interface Walk {
  /** Does one step; the text it gives is what was seen. The first that fails ends the walk. */
  step<T>(name: string, work: () => Promise<readonly [seen: string, value: T]>): Promise<T>;
  skip(name: string, why: string): void;
  /** A line in the course of a step. */
  tell(text: string): void;
  /** Remembers how to remove what a step made. */
  made(what: string, remove: () => Promise<unknown>): void;
  /** Ends when whoever started the walk wants it to. */
  readonly signal: AbortSignal;
}

/** True if every step went well and everything that was made is gone again. */
export const walkThrough = async (say: Say, signal: AbortSignal, go: (walk: Walk) => Promise<void>): Promise<boolean> => {
  const things: { readonly what: string; readonly remove: () => Promise<unknown> }[] = [];
  let name = 'start';
  const walk: Walk = {
    step: async (next, work) => {
      name = next;
      if (signal.aborted) throw new StepError('interrupted');
      const [seen, value] = await work();
      say(`ok    ${name}: ${seen}`);
      return value;
    },
    skip: (skipped, why) => say(`skip  ${skipped}: ${why}`),
    tell: (text) => say(`      ${text}`),
    made: (what, remove) => things.push({ what, remove }),
    signal,
  };
  let isWell = true;
  try {
    await go(walk);
  } catch (error) {
    say(`FAIL  ${name}: ${lineOf(error)}`);
    isWell = false;
  }
  for (const { what, remove } of things.toReversed()) {
    try {
      await remove();
      say(`gone  ${what}`);
    } catch (error) {
      say(`LEFT  ${what}: ${lineOf(error)}`);
      isWell = false;
    }
  }
  return isWell;
};

/** A mistake in the walk itself keeps its name; what a step found wrong says all there is to say. */
const lineOf = (error: unknown): string => {
  const { name, message } = error as Error;
  return (error instanceof StepError ? message : `${name}: ${message}`).split('\n')[0] ?? '';
};
