/** Laws over every workflow of the template: no step may hang, fail for good at a passing fault, or fail unheard. */
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { resourcesOf, templatesOf } from '../support/template.ts';

interface State {
  readonly Type: string;
  readonly TimeoutSeconds?: number;
  readonly Retry?: readonly { ErrorEquals: readonly string[]; JitterStrategy?: string; MaxAttempts?: number }[];
  readonly Catch?: readonly { ErrorEquals: readonly string[]; Next: string }[];
}

interface Definition {
  readonly QueryLanguage?: string;
  readonly TimeoutSeconds?: number;
  readonly States: Readonly<Record<string, State>>;
}

/** The text of a joined definition, its references left as a name. */
const parse = (definition: unknown): Definition => {
  const [, pieces] = (definition as { 'Fn::Join': readonly [string, readonly unknown[]] })['Fn::Join'];
  return JSON.parse(pieces.map((piece) => (typeof piece === 'string' ? piece : 'reference')).join('')) as Definition;
};

const workflows = resourcesOf(templatesOf()).filter(({ type }) => type === 'AWS::StepFunctions::StateMachine');

test('there are workflows to look at', () => assert.ok(workflows.length > 0));

for (const { id, properties } of workflows) {
  const definition = parse(properties.DefinitionString);
  const tasks = Object.entries(definition.States).filter(([, { Type }]) => Type === 'Task');

  suite(id, () => {
    test('ends by itself, keeps a full log and is traced', () => {
      assert.ok(definition.TimeoutSeconds);
      assert.equal((properties.LoggingConfiguration as { Level: string }).Level, 'ALL');
      assert.deepEqual(properties.TracingConfiguration, { Enabled: true });
    });

    // The engine of the local stage knows JSONPath only.
    test('is written in JSONPath', () => assert.notEqual(definition.QueryLanguage, 'JSONata'));

    for (const [name, task] of tasks) {
      // Without one, a task waits 99,999,999 s.
      test(`${name} has a timeout`, () => assert.ok(task.TimeoutSeconds));

      test(`${name} is tried again, with jitter, after faults of the platform, its own and a timeout`, () => {
        const retries = task.Retry ?? [];
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
      });

      test(`${name} has a way out of every failure`, () => {
        const last = task.Catch?.at(-1);
        assert.deepEqual(last?.ErrorEquals, ['States.ALL']);
        assert.ok(last && definition.States[last.Next]);
      });
    }
  });
}
