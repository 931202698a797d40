/** Laws about all workflows of the template: no step hangs, fails on a transient fault, or fails silently. */
import assert from 'node:assert/strict';
import { describe, test } from 'vitest';
import { resourcesOf, templatesOf } from '../harness/law/templates.ts';

interface State {
  readonly Type: string;
  readonly TimeoutSeconds?: number;
  readonly Retry?: readonly { ErrorEquals: readonly string[]; JitterStrategy?: string; MaxAttempts?: number }[];
  readonly Catch?: readonly { ErrorEquals: readonly string[]; Next: string }[];
  readonly ItemProcessor?: Machine & { readonly ProcessorConfig: { readonly Mode: string } };
}

interface Machine {
  readonly States: Readonly<Record<string, State>>;
}

interface Definition extends Machine {
  readonly QueryLanguage?: string;
  readonly TimeoutSeconds?: number;
}

/** The text of a joined definition, with references replaced by names. */
const parse = (definition: unknown): Definition => {
  const [, pieces] = (definition as { 'Fn::Join': readonly [string, readonly unknown[]] })['Fn::Join'];
  return JSON.parse(pieces.map((piece) => (typeof piece === 'string' ? piece : 'reference')).join('')) as Definition;
};

/** All states with their machine: a map has its own. */
const statesOf = (machine: Machine): readonly (readonly [name: string, state: State, machine: Machine])[] =>
  Object.entries(machine.States).flatMap(([name, state]) => [
    [name, state, machine] as const,
    ...(state.ItemProcessor ? statesOf(state.ItemProcessor) : []),
  ]);

/** The error of a step whose failure is already recorded. */
const final = 'JobFailed';

const workflows = resourcesOf(templatesOf()).filter(({ type }) => type === 'AWS::StepFunctions::StateMachine');

test('workflows: there are workflows to check', () => assert.ok(workflows.length > 0));

for (const { id, properties } of workflows) {
  const definition = parse(properties.DefinitionString);
  const states = statesOf(definition);
  const tasks = states.filter(([, { Type }]) => Type === 'Task');
  const maps = states.filter(([, { Type }]) => Type === 'Map');

  describe(id, () => {
    test('has a timeout, full logs and traces', () => {
      assert.ok(definition.TimeoutSeconds);
      assert.equal((properties.LoggingConfiguration as { Level: string }).Level, 'ALL');
      assert.deepEqual(properties.TracingConfiguration, { Enabled: true });
    });

    // The local engine supports JSONPath only.
    test('uses JSONPath', () => assert.notEqual(definition.QueryLanguage, 'JSONata'));

    for (const [name, task, machine] of tasks) {
      // Without one a task waits 99,999,999 s.
      test(`${name} has a timeout`, () => assert.ok(task.TimeoutSeconds));

      test(`${name} is retried with jitter after platform faults, its own errors and a timeout`, () => {
        const finals = (task.Retry ?? []).filter(({ ErrorEquals }) => ErrorEquals.includes(final));
        const retries = (task.Retry ?? []).filter((retry) => !finals.includes(retry));
        assert.ok(finals.every(({ ErrorEquals, MaxAttempts }) => ErrorEquals.length === 1 && MaxAttempts === 0));
        assert.ok(retries.every((retry) => retry.JitterStrategy === 'FULL' && (retry.MaxAttempts ?? 0) > 0));
        const retried = retries.flatMap((retry) => retry.ErrorEquals);
        for (const fault of [
          'Lambda.ServiceException',
          'Lambda.AWSLambdaException',
          'Lambda.SdkClientException',
          'Lambda.TooManyRequestsException',
          'States.TaskFailed',
          'States.Timeout',
        ])
          assert.ok(retried.includes(fault), fault);
        // The first matching entry applies, and TaskFailed matches everything.
        const order = (task.Retry ?? []).flatMap(({ ErrorEquals }) => ErrorEquals);
        assert.ok(finals.length === 0 || order.indexOf(final) < order.indexOf('States.TaskFailed'));
      });

      test(`${name} handles every failure`, () => leadsOut(task, machine));
    }

    for (const [name, map, machine] of maps) {
      // An inline map is limited to 25,000 history events and 40 concurrent items.
      test(`${name} runs every item as its own execution`, () =>
        assert.equal(map.ItemProcessor?.ProcessorConfig.Mode, 'DISTRIBUTED'));

      test(`${name} handles every failure`, () => leadsOut(map, machine));
    }
  });
}

const leadsOut = ({ Catch }: State, machine: Machine): void => {
  const last = Catch?.at(-1);
  assert.deepEqual(last?.ErrorEquals, ['States.ALL']);
  assert.ok(last && machine.States[last.Next]);
};
