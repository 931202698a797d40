/** Enforces IAM policies and records the permissions that were used. */
import { AwsError, type Need } from '../base/aws-service.ts';
import type { Principal, UsedPermission } from '../base/types.ts';
import { evaluatePolicy } from './evaluate-policy.ts';
import { PolicyError } from './patterns.ts';
import { type Part, splitStatements } from './split-statements.ts';

export interface PolicyGuard {
  /** Throws AccessDeniedException for the first missing permission. */
  permit(caller: Principal, needs: readonly Need[]): void;
  /** The permissions that were needed and granted, without duplicates. */
  used(): readonly UsedPermission[];
}

/** `onFirstUse` is called when a permission is used for the first time. */
export const makePolicyGuard = (onFirstUse: (used: UsedPermission) => void = () => {}): PolicyGuard => {
  const used: UsedPermission[] = [];
  const unused = new Map<string, Set<Part>>();
  const note = ({ name, statements }: Principal, need: Need): void => {
    const remaining = unused.get(name) ?? new Set(splitStatements(statements));
    unused.set(name, remaining);
    for (const part of remaining) {
      if (!part.lets(need)) continue;
      remaining.delete(part);
      const { action, resource, conditions } = part;
      used.push({ principal: name, action, resource, conditions });
      onFirstUse({ principal: name, action, resource, conditions });
    }
  };
  return {
    permit: (caller, needs) => {
      for (const need of needs) {
        check(caller, need);
        note(caller, need);
      }
    },
    used: () => used,
  };
};

const check = (caller: Principal, need: Need): void => {
  const denied = (why: string): AwsError =>
    new AwsError(
      'AccessDeniedException',
      `User: ${caller.name} is not authorized to perform: ${need.action} on resource: ${need.resources[0]} ${why}`,
    );
  try {
    const verdict = evaluatePolicy(caller.statements, need);
    if (verdict === 'denied') throw denied('with an explicit deny in an identity-based policy');
    if (verdict === 'not-allowed') throw denied(`because no identity-based policy allows the ${need.action} action`);
  } catch (error) {
    throw error instanceof PolicyError ? denied(`because ${error.message}`) : error;
  }
};
