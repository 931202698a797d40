import { deepEqual, equal, ok } from 'node:assert/strict';
import { test } from 'vitest';
import { restoreTestDefinition } from '../../../infra/workflow/restore-test.ts';
import { pauseAfter, waitPauses } from '../../../shared/contract/runtime/wait-pauses.ts';

interface State {
  readonly Type: string;
  readonly Seconds?: number;
  readonly Next?: string;
  readonly Choices?: readonly { readonly And?: readonly { readonly NumericEquals?: number }[]; readonly Next: string }[];
}
const { States } = restoreTestDefinition({
  restoreTestRun: { arn: 'arn:aws:lambda:eu-central-1:1:function:run', timeoutSeconds: 900 },
});
const states = States as unknown as Readonly<Record<string, State>>;

test('restore test workflow: there is a pause of every length, and it leads back to the step', () => {
  for (const { pauseSeconds } of waitPauses) {
    const choice = states['Run done?']?.Choices?.find(({ And }) =>
      And?.some(({ NumericEquals }) => NumericEquals === pauseSeconds),
    );
    deepEqual(states[choice?.Next ?? ''], { Type: 'Wait', Seconds: pauseSeconds, Next: 'Run' });
  }
});

test('restore test workflow: pauses grow with the time waited, so that a check of a day makes a few thousand events', () => {
  let [rounds, waited, last] = [0, 0, 0];
  for (; waited < 24 * 3_600; rounds++) {
    const seconds = pauseAfter(waited);
    ok(seconds >= last);
    [last, waited] = [seconds, waited + seconds];
  }
  equal(last, 900);
  ok(rounds * 9 < 3_000, `${rounds} rounds`);
});
