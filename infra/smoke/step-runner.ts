/** Runs the steps of the smoke test, prints one line each, and removes what they created in reverse order. */
import { StepError } from './client.ts';

export type Say = (line: string) => void;

export interface StepRunner {
  /** Runs one step and prints its result. The first failure ends the test. */
  step<T>(name: string, work: () => Promise<readonly [seen: string, value: T]>): Promise<T>;
  skip(name: string, why: string): void;
  print(text: string): void;
  /** Registers how to remove a created resource. */
  created(what: string, remove: () => Promise<unknown>): void;
  /** Aborted when the user stops the test. */
  readonly signal: AbortSignal;
}

/** True if all steps passed and all created resources were removed. */
export const runSteps = async (say: Say, signal: AbortSignal, go: (runner: StepRunner) => Promise<void>): Promise<boolean> => {
  const created: { readonly what: string; readonly remove: () => Promise<unknown> }[] = [];
  let name = 'start';
  const runner: StepRunner = {
    step: async (next, work) => {
      name = next;
      if (signal.aborted) throw new StepError('interrupted');
      const [seen, value] = await work();
      say(`ok    ${name}: ${seen}`);
      return value;
    },
    skip: (skipped, why) => say(`skip  ${skipped}: ${why}`),
    print: (text) => say(`      ${text}`),
    created: (what, remove) => created.push({ what, remove }),
    signal,
  };
  let isWell = true;
  try {
    await go(runner);
  } catch (error) {
    say(`FAIL  ${name}: ${lineOf(error)}`);
    isWell = false;
  }
  for (const { what, remove } of created.toReversed()) {
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

/** A bug in the test keeps its name; a StepError message is complete. */
const lineOf = (error: unknown): string => {
  const { name, message } = error as Error;
  return (error instanceof StepError ? message : `${name}: ${message}`).split('\n')[0] ?? '';
};
