/** Laws about all workflows of the template: no step hangs, fails on a transient fault, or fails silently. */
import assert from 'node:assert/strict';
import { describe, test } from 'vitest';
import { loopHistoryEvents } from '../../infra/scale/history.ts';
import { loops } from '../../infra/workflow/loops.ts';
import { resourcesOf, templatesOf } from '../harness/law/templates.ts';

interface State {
  readonly Next?: string;
  readonly Default?: string;
  readonly Choices?: readonly { readonly Next: string }[];
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

/** Where a state may lead. */
const followersOf = ({ Next, Default, Choices = [], Catch = [] }: State): readonly string[] =>
  [Next, Default, ...Choices.map((choice) => choice.Next), ...Catch.map((handler) => handler.Next)].filter(
    (name) => name !== undefined,
  );

/** The groups of states that lead back to themselves. */
const loopsOf = ({ States }: Machine): readonly (readonly string[])[] => {
  const reach = (from: string, seen = new Set<string>()): Set<string> => {
    for (const next of followersOf(States[from]!)) if (!seen.has(next)) reach(next, seen.add(next));
    return seen;
  };
  const reached = new Map(Object.keys(States).map((name) => [name, reach(name)]));
  const inLoop = [...reached].filter(([name, ends]) => ends.has(name)).map(([name]) => name);
  const groups = Map.groupBy(inLoop, (name) =>
    inLoop.filter((other) => reached.get(name)?.has(other) && reached.get(other)?.has(name)).join(),
  );
  return [...groups.values()];
};

/** An execution fails at 25,000; the rest is for what precedes and follows the loop. */
const loopEventsMax = 20_000;

/** The events of a loop that goes on for as long as it may, once with all retries of its step. */
const eventsOfLoop = (states: readonly State[], { workRounds, waitRounds }: (typeof loops)[string]): number => {
  const retriesOf = ({ Retry = [] }: State): number => Retry.reduce((sum, { MaxAttempts = 3 }) => sum + MaxAttempts, 0);
  return loopHistoryEvents(workRounds + waitRounds, Math.max(...states.map(retriesOf)), waitRounds);
};

test('history: every loop of every workflow stays below 20,000 events for as long as it may go on', () => {
  const machines = workflows.flatMap(({ properties }) => {
    const definition = parse(properties.DefinitionString);
    return [definition, ...statesOf(definition).flatMap(([, { ItemProcessor }]) => ItemProcessor ?? [])];
  });
  const found = machines.flatMap((machine) =>
    loopsOf(machine).map((names) => ({ names, states: names.map((name) => machine.States[name]!) })),
  );
  const nameOf = (names: readonly string[]): string => names.find((name) => name in loops) ?? `unknown: ${names.join(', ')}`;
  assert.deepEqual(found.map(({ names }) => nameOf(names)).sort(), Object.keys(loops).sort());
  for (const { names, states } of found) {
    const loop = loops[nameOf(names)]!;
    // A loop that waits has a pause, and one with a pause says how often it waits.
    assert.equal(
      loop.waitRounds > 0,
      states.some(({ Type }) => Type === 'Wait'),
      names.join(),
    );
    const events = eventsOfLoop(states, loop);
    assert.ok(events < loopEventsMax, `${nameOf(names)}: ${events} events`);
  }
});

test('history: a loop that looks every five seconds for a day would be found', () => {
  const states: readonly State[] = [{ Type: 'Task' }, { Type: 'Choice' }, { Type: 'Wait' }];
  const [once, twice] = [1, 2].map((waitRounds) => eventsOfLoop(states, { workRounds: 0, waitRounds }));
  assert.equal(twice! - once!, 9);
  assert.ok(eventsOfLoop(states, { workRounds: 0, waitRounds: (24 * 3_600) / 5 }) > loopEventsMax);
});

const leadsOut = ({ Catch }: State, machine: Machine): void => {
  const last = Catch?.at(-1);
  assert.deepEqual(last?.ErrorEquals, ['States.ALL']);
  assert.ok(last && machine.States[last.Next]);
};
