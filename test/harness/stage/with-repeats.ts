/**
 * Repeats requests that the stage answers with 503, as clients do. When a virtual machine stands still for seconds, functions give up on
 * DynamoDB Local and ask the caller to try again. A request that always gets a 503 still gets it here.
 */
import { appendFileSync } from 'node:fs';
import { join } from 'node:path';

const triesMax = 4;

export const withRepeats = async <R extends { readonly status: number }>(
  name: string,
  send: () => Promise<R>,
  note: (line: string) => void = noteRepeat,
): Promise<R> => {
  for (let tries = 1; ; tries++) {
    const answer = await send();
    if (answer.status !== 503 || tries === triesMax) return answer;
    note(`${name}: 503`);
  }
};

/** Where a run of tests notes its repeated requests, a line each. */
export const repeatsFile = (): string | undefined =>
  process.env.TEST_RUN_DIR === undefined ? undefined : join(process.env.TEST_RUN_DIR, 'repeated-requests');

/** The run prints the repeated requests at its end: on a machine that does not stand still there should be none. */
export const noteRepeat = (line: string): void => {
  const file = repeatsFile();
  if (file === undefined) console.warn(`repeated: ${line}`);
  else appendFileSync(file, `${new Date().toISOString()} ${line}\n`);
};
