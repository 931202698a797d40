/** Permissions in the template's own words: roles and resources by their logical ids, which no region, account or stack changes. */
import type { Used } from '../base/types.ts';
import type { ResolvedResource } from '../cloudformation/read-template.ts';
import type { Permission } from '../iam/split-statements.ts';

/** The line of a permission: `BackupCopyRole kms:Decrypt SecretsKey purpose=passphrase`. */
export type Names = (role: string, permission: Permission) => string;

/** Without what the CDK appends to keep ids apart. */
const wordOf = (logicalId: string): string => logicalId.replace(/[0-9A-F]{8}$/, '');

export const namesOf = (resources: readonly ResolvedResource[]): Names => {
  const words = new Map(resources.map(({ arn, logicalId }) => [arn, wordOf(logicalId)]));
  const nameOf = (pattern: string): string => {
    const whole = words.get(pattern);
    if (whole) return whole;
    // The stream has a name of its own at every birth of the table.
    const table = words.get(pattern.replace(/\/stream\/.*$/, ''));
    return table ? `${table}/stream` : pattern.replace(/^arn:aws:(\w+):[^:]*:[^:]*:/, '$1:');
  };
  const conditionOf = (condition: string): string => {
    const [key = '', value = ''] = condition.split(/=(.*)/s);
    return `${key.slice(key.lastIndexOf(':') + 1)}=${nameOf(value)}`;
  };
  return (role, { action, resource, conditions }) =>
    [words.get(role) ?? role, action, nameOf(resource), ...conditions.map(conditionOf)].join(' ');
};

/** Every function acts under the role it names; what else acts, acts under a role by its ARN. */
export const roleOf = (resources: readonly ResolvedResource[]): ((used: Used) => string) => {
  const roles = new Map(
    resources
      .filter(({ type }) => type === 'AWS::Lambda::Function')
      .map(({ name, properties }) => [name, String(properties.Role)]),
  );
  return ({ principal }) => roles.get(principal) ?? principal;
};
