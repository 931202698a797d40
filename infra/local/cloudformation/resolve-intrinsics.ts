/** Resolves the CloudFormation intrinsic functions that a synthesized template uses. */

/** Resolves references. Each function throws for an unknown name. */
export interface Names {
  ref(logicalId: string): unknown;
  attribute(logicalId: string, name: string): unknown;
  imported(exportName: string): unknown;
  /** Whether a condition of the template holds. */
  condition(name: string): boolean;
  /** A value of a mapping. */
  mapped(map: string, row: string, column: string): unknown;
}

/** Replaces all intrinsics in a value. An unsupported intrinsic throws; it is never passed through as an object. */
export const resolve = (value: unknown, names: Names): unknown => {
  if (Array.isArray(value)) return value.map((element) => resolve(element, names)).filter((element) => element !== noValue);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value);
  const [only] = entries;
  if (entries.length === 1 && only && (only[0] === 'Ref' || only[0].startsWith('Fn::')))
    return intrinsic(only[0], only[1], names);
  return Object.fromEntries(entries.map(([key, its]) => [key, resolve(its, names)]).filter(([, its]) => its !== noValue));
};

/** The result of `Ref: AWS::NoValue`: the property is removed. */
export const noValue = Symbol('AWS::NoValue');

const intrinsic = (name: string, argument: unknown, names: Names): unknown => {
  const rule = rules[name];
  if (!rule) throw new Error(`the template uses ${name}, which the local stage does not support`);
  return rule(argument, names);
};

const rules: Readonly<Record<string, (argument: unknown, names: Names) => unknown>> = {
  Ref: (id, names) => names.ref(text(id)),
  'Fn::GetAtt': (argument, names) => {
    const [id, ...path] = Array.isArray(argument) ? argument.map(text) : text(argument).split('.');
    return names.attribute(id ?? '', path.join('.'));
  },
  'Fn::Join': (argument, names) => {
    const [separator, parts] = pair(argument);
    return list(resolve(parts, names)).map(text).join(text(separator));
  },
  'Fn::Sub': (argument, names) => {
    const [template, given] = Array.isArray(argument) ? pair(argument) : [argument, {}];
    const variables = resolve(given, names) as Record<string, unknown>;
    return text(template).replace(/\$\{(!?)([^}]+)\}/g, (_, literal: string, key: string) => {
      if (literal) return `\${${key}}`;
      if (Object.hasOwn(variables, key)) return text(variables[key]);
      const [id = '', ...path] = key.split('.');
      return text(path.length > 0 ? names.attribute(id, path.join('.')) : names.ref(id));
    });
  },
  'Fn::Select': (argument, names) => {
    const [index, from] = pair(argument);
    const chosen = list(resolve(from, names))[Number(resolve(index, names))];
    if (chosen === undefined) throw new Error(`Fn::Select: no element at index ${JSON.stringify(index)}`);
    return chosen;
  },
  'Fn::Split': (argument, names) => {
    const [separator, from] = pair(argument);
    return text(resolve(from, names)).split(text(separator));
  },
  'Fn::ImportValue': (argument, names) => names.imported(text(resolve(argument, names))),
  // Only the branch that is taken is resolved: the other one may refer to resources that do not exist.
  'Fn::If': (argument, names) => {
    const [name, yes, no] = list(argument);
    return resolve(names.condition(text(name)) ? yes : no, names);
  },
  'Fn::FindInMap': (argument, names) => {
    const [map, row, column] = list(resolve(argument, names)).map(text);
    return names.mapped(map ?? '', row ?? '', column ?? '');
  },
};

/** The conditions of a template and the assertions of its rules. */
export const isTrue = (condition: unknown, names: Names): boolean => {
  const [[name = '', argument] = []] = Object.entries((condition ?? {}) as Readonly<Record<string, unknown>>);
  const test = tests[name];
  if (!test) throw new Error(`the template has a condition with ${name || JSON.stringify(condition)}, which is not supported`);
  return test(argument, names);
};

const tests: Readonly<Record<string, (argument: unknown, names: Names) => boolean>> = {
  'Fn::Equals': (argument, names) => {
    const [a, b] = pair(resolve(argument, names));
    return text(a) === text(b);
  },
  'Fn::Not': (argument, names) => !isTrue(list(argument)[0], names),
  'Fn::And': (argument, names) => list(argument).every((each) => isTrue(each, names)),
  'Fn::Or': (argument, names) => list(argument).some((each) => isTrue(each, names)),
  'Fn::Contains': (argument, names) => {
    const [values, value] = pair(resolve(argument, names));
    return list(values).includes(value);
  },
  Condition: (name, names) => names.condition(text(name)),
};

const text = (value: unknown): string => {
  if (typeof value === 'string') return value;
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  throw new Error(`expected a string in the template, found ${JSON.stringify(value)}`);
};

const list = (value: unknown): readonly unknown[] => {
  if (!Array.isArray(value)) throw new Error(`expected a list in the template, found ${JSON.stringify(value)}`);
  return value;
};

const pair = (value: unknown): readonly [unknown, unknown] => {
  const [first, second] = list(value);
  return [first, second];
};
