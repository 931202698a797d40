/** IAM patterns: `*` is any text, `?` any one character. */

export class PolicyError extends Error {
  override readonly name = 'PolicyError';
}

const compiled = new Map<string, RegExp>();

export const matches = (pattern: string, value: string): boolean => {
  if (pattern === '*' || pattern === value) return true;
  let expression = compiled.get(pattern);
  if (!expression) {
    // A variable that is not replaced would quietly match nothing, also in a Deny.
    if (pattern.includes('${')) throw new PolicyError(`the policy variable in "${pattern}" is not supported by the local stage`);
    const source = pattern
      .replace(/[.+^${}()|[\]\\/]/g, '\\$&')
      .replaceAll('*', '.*')
      .replaceAll('?', '.');
    expression = new RegExp(`^${source}$`, 's');
    compiled.set(pattern, expression);
  }
  return expression.test(value);
};
