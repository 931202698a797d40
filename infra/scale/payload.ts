import { quota } from './quota.ts';

const idBytes = 30;

/** The largest state of a workflow, as JSON: its ids, the number of every range, what its steps answered, and why one of them failed. */
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

/** Of a list of the numbers from 0 on, without making it. */
const numbersBytes = (count: number): number => {
  let bytes = count;
  for (let least = 1; least < count || least === 1; least *= 10) bytes += count - (least === 1 ? 0 : least);
  return bytes;
};
