/** Splits statements into permissions: one action on one resource with one value per condition. */
import type { Need } from '../base/aws-service.ts';
import type { Permission, Statement } from '../base/types.ts';
import { evaluatePolicy } from './evaluate-policy.ts';
import { matchesPattern } from './patterns.ts';

/** A permission and a test whether it allows a given call. */
export interface Part extends Permission {
  lets(need: Need): boolean;
}

/** All permissions of these statements. A statement with lists yields every combination; each must be needed. */
export const splitStatements = (statements: readonly Statement[]): readonly Part[] =>
  statements
    .filter(({ Effect }) => Effect === 'Allow')
    .flatMap(({ Action, Resource, Condition = {} }) =>
      choicesOf(Condition).flatMap(({ conditions, condition }) =>
        Action.flatMap((action) => Resource.map((resource) => partOf(action, { resource, conditions, condition }))),
      ),
    );

const partOf = (
  action: string,
  {
    resource,
    conditions,
    condition,
  }: {
    readonly resource: string;
    readonly conditions: readonly string[];
    readonly condition: NonNullable<Statement['Condition']>;
  },
): Part => {
  const alone: readonly Statement[] = [{ Effect: 'Allow', Action: [action], Resource: [resource], Condition: condition }];
  // Runs at every call and most calls are of other actions, so the action is compared first.
  const pattern = action.toLowerCase();
  const lets = (need: Need): boolean =>
    matchesPattern(pattern, need.action.toLowerCase()) && evaluatePolicy(alone, need) === 'allowed';
  return { action, resource, conditions, lets };
};

interface Choice {
  readonly conditions: readonly string[];
  readonly condition: NonNullable<Statement['Condition']>;
}

/** Negative operators offer no choice: they hold for every allowed call. */
const isChoice = (operator: string): boolean => operator !== 'Null' && !operator.includes('Not');

const choicesOf = (condition: NonNullable<Statement['Condition']>): readonly Choice[] => {
  let choices: readonly Choice[] = [{ conditions: [], condition: {} }];
  for (const [operator, tests] of Object.entries(condition)) {
    for (const [key, wanted] of Object.entries(tests)) {
      const options = isChoice(operator) ? [wanted].flat() : [wanted];
      choices = choices.flatMap((so) => options.map((value) => chosen(so, { operator, key, value })));
    }
  }
  return choices;
};

const chosen = (
  { conditions, condition }: Choice,
  { operator, key, value }: { readonly operator: string; readonly key: string; readonly value: string | readonly string[] },
): Choice => {
  // A batch may touch keys of several patterns; each counts as used.
  const asked = operator.replace(/^ForAllValues:/, 'ForAnyValue:');
  return {
    conditions: isChoice(operator) ? [...conditions, `${key}=${value}`] : conditions,
    condition: { ...condition, [asked]: { ...condition[asked], [key]: value } },
  };
};
