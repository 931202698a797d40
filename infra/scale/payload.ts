import { quota } from './quota.ts';

const idBytes = 30;

/** Size of a workflow's largest state as JSON: ids, range numbers, results of steps and the cause of a failure. */
export const statePayload = (shards: number): number => {
  const id = 'x'.repeat(idBytes);
  const answer = { failed: false, writes: true, done: true };
  const state = {
    organizationId: id,
    restoreJobId: id,
    attempt: Number.MAX_SAFE_INTEGER,
    step: answer,
    seal: answer,
    plan: { shards: [] as const, failed: false },
    error: { Error: 'x'.repeat(256), Cause: 'x'.repeat(quota.stateCauseBytes) },
  };
  return JSON.stringify(state).length + numbersBytes(shards);
};

/** Size of a JSON list of the numbers from 0, computed without building it. */
const numbersBytes = (count: number): number => {
  let bytes = count;
  for (let least = 1; least < count || least === 1; least *= 10) bytes += count - (least === 1 ? 0 : least);
  return bytes;
};
