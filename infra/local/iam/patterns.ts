/** IAM patterns: `*` matches any text, `?` any single character. */

export class PolicyError extends Error {
  override readonly name = 'PolicyError';
}

const compiled = new Map<string, RegExp>();

export const matchesPattern = (pattern: string, value: string): boolean => {
  if (pattern === '*' || pattern === value) return true;
  let expression = compiled.get(pattern);
  if (!expression) {
    // An unresolved variable would silently match nothing, even in a Deny.
    if (pattern.includes('${')) throw new PolicyError(`the local stage does not support the policy variable in "${pattern}"`);
    const source = pattern
      .replace(/[.+^${}()|[\]\\/]/g, '\\$&')
      .replaceAll('*', '.*')
      .replaceAll('?', '.');
    expression = new RegExp(`^${source}$`, 's');
    compiled.set(pattern, expression);
  }
  return expression.test(value);
};
