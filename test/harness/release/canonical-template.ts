/** Templates in a form in which those of the CDK and those with parameters can be compared. */
import { namesIn, type Template } from '../../../infra/local/cloudformation/read-template.ts';
import { noValue } from '../../../infra/local/cloudformation/resolve-intrinsics.ts';

type Value = unknown;

/**
 * Decides conditions, looks up mappings and inserts the given parameters; other references stay. Joins are flat, numbers are text, and an import
 * is a reference to the output that it imports.
 */
export const canonicalResources = (
  template: Template,
  parameters: Readonly<Record<string, string>> = {},
): Readonly<Record<string, Value>> => {
  const location = { region: 'eu-central-1', account: '111122223333', apiUrl: '', awsUrl: '' };
  const names = namesIn('stack', { stacks: { stack: template }, location, learned: {}, parameters });
  const form = (value: Value): Value => {
    if (Array.isArray(value)) return value.map(form).filter((each) => each !== noValue);
    if (typeof value !== 'object' || value === null) return String(value);
    const [[key = '', argument] = [], ...more] = Object.entries(value);
    if (more.length === 0) {
      if (key === 'Ref' && argument === 'AWS::NoValue') return noValue;
      if (key === 'Ref' && parameters[argument as string] !== undefined) return parameters[argument as string];
      if (key === 'Fn::ImportValue') return { Ref: String(argument).split(':')[1] };
      if (key === 'Fn::If') {
        const [name, yes, no] = argument as readonly [string, Value, Value];
        return form(names.condition(name) ? yes : no);
      }
      if (key === 'Fn::FindInMap') {
        const [map, row, column] = argument as readonly [string, Value, string];
        return String(names.mapped(map, String(form(row)), column));
      }
      if (key === 'Fn::Join' && (argument as readonly Value[])[0] === '')
        return joined(form((argument as readonly Value[])[1]) as Value[]);
    }
    return Object.fromEntries(
      Object.entries(value)
        .map(([name, its]) => [name, form(its)] as const)
        .filter(([, its]) => its !== noValue)
        .sort(([a], [b]) => (a < b ? -1 : 1)),
    );
  };
  return Object.fromEntries(
    Object.entries(template.Resources)
      .filter(([, { Condition }]) => Condition === undefined || names.condition(Condition))
      .map(([id, { Metadata: _, Condition: _condition, DependsOn = [], Properties, ...resource }]) => {
        const { Code: _code, ...properties } = Properties ?? {};
        // The CDK names a subscription after its address.
        return [
          resource.Type === 'AWS::SNS::Subscription' ? 'AlarmSubscription' : id,
          { ...resource, DependsOn: [DependsOn].flat().toSorted(), Properties: form(properties) },
        ];
      }),
  );
};

const joined = (parts: readonly Value[]): Value => {
  const flat = parts.flatMap((part) => (part as { 'Fn::Join'?: [string, Value[]] })['Fn::Join']?.[1] ?? [part]);
  const merged: Value[] = [];
  for (const part of flat) {
    const last = merged.at(-1);
    if (typeof part === 'string' && typeof last === 'string') merged[merged.length - 1] = last + part;
    else if (part !== '') merged.push(part);
  }
  return merged.length === 1 ? merged[0] : { 'Fn::Join': ['', merged] };
};
