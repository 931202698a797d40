/**
 * The part of the Common Expression Language that attribute mappings and conditions of AWS providers use: `assertion.arn`,
 * `assertion.account`, texts, `==`, `!=`, `&&`, `||`, `startsWith`, `endsWith`, `contains`, `extract`, `true` and `false`.
 */
export type Assertion = Readonly<Record<'arn' | 'account', string>>;
type Value = string | boolean;

/** Evaluates an expression. Throws for anything else, as Google refuses an invalid expression. */
export const evaluateCel = (expression: string, assertion: Assertion): Value => {
  const tokens = expression.match(token) ?? [];
  if (tokens.join('') !== expression.replaceAll(/\s+(?=(?:[^']*'[^']*')*[^']*$)/g, '')) throw new Error('invalid expression');
  let at = 0;
  const take = (wanted: string): boolean => tokens[at] === wanted && ++at > 0;
  const expect = (wanted: string): void => {
    if (!take(wanted)) throw new Error(`expected ${wanted}`);
  };
  const primary = (): Value => {
    const word = tokens[at++] ?? '';
    if (word === '(') {
      const inner = either();
      expect(')');
      return inner;
    }
    if (word === 'true' || word === 'false') return word === 'true';
    if (word.startsWith("'") || word.startsWith('"')) return word.slice(1, -1);
    if (word === 'assertion.arn') return assertion.arn;
    if (word === 'assertion.account') return assertion.account;
    throw new Error(`unknown name ${word}`);
  };
  const called = (): Value => {
    let value = primary();
    for (let method = tokens[at]; method?.startsWith('.'); method = tokens[at]) {
      at += 1;
      expect('(');
      const argument = String(either());
      expect(')');
      value = methods[method.slice(1)]?.(String(value), argument) ?? fail(method);
    }
    return value;
  };
  const compared = (): Value => {
    const first = called();
    if (take('==')) return first === called();
    return take('!=') ? first !== called() : first;
  };
  const both = (): Value => {
    let value = compared();
    while (take('&&')) value = [value, compared()].every((each) => each === true);
    return value;
  };
  const either = (): Value => {
    let value = both();
    while (take('||')) value = [value, both()].some((each) => each === true);
    return value;
  };
  const value = either();
  if (at < tokens.length) throw new Error(`unexpected ${tokens[at]}`);
  return value;
};

const token = /'[^']*'|"[^"]*"|==|!=|&&|\|\||[()]|\.(?:startsWith|endsWith|contains|extract)\b|assertion\.\w+|true|false/g;

const fail = (method: string): never => {
  throw new Error(`unknown function ${method}`);
};

const methods: Readonly<Record<string, (text: string, argument: string) => Value>> = {
  startsWith: (text, argument) => text.startsWith(argument),
  endsWith: (text, argument) => text.endsWith(argument),
  contains: (text, argument) => text.includes(argument),
  extract: (text, template) => extract(text, template),
};

/** The part of the text between what surrounds `{name}` in the template; empty if it does not match. */
const extract = (text: string, template: string): string => {
  const [, before = '', after = ''] = /^([^{}]*)\{\w+\}([^{}]*)$/.exec(template) ?? fail('extract');
  const start = text.indexOf(before);
  if (start < 0) return '';
  const rest = text.slice(start + before.length);
  const end = after === '' ? rest.length : rest.indexOf(after);
  return end < 0 ? '' : rest.slice(0, end);
};
