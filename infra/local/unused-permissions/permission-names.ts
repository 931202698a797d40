/** Names permissions by the logical ids of roles and resources, which do not depend on region, account or stack. */
import type { Permission, UsedPermission } from '../base/types.ts';
import type { ResolvedResource } from '../cloudformation/read-template.ts';

/** Formats a permission: `BackupCopyRole kms:Decrypt SecretsKey purpose=passphrase`. */
type Names = (role: string, permission: Permission) => string;

/** Removes the hash the CDK appends to logical ids. */
const wordOf = (logicalId: string): string => logicalId.replace(/[0-9A-F]{8}$/, '');

export const namesOf = (resources: readonly ResolvedResource[]): Names => {
  const words = new Map(resources.map(({ arn, logicalId }) => [arn, wordOf(logicalId)]));
  const nameOf = (pattern: string): string => {
    const whole = words.get(pattern);
    if (whole) return whole;
    // A stream's ARN changes whenever the table is created.
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

/** A function acts under its role; other callers are identified by the ARN of their role. */
export const roleOf = (resources: readonly ResolvedResource[]): ((used: UsedPermission) => string) => {
  const roles = new Map(
    resources
      .filter(({ type }) => type === 'AWS::Lambda::Function')
      .map(({ name, properties }) => [name, String(properties.Role)]),
  );
  return ({ principal }) => roles.get(principal) ?? principal;
};
