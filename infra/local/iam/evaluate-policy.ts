/**
 * IAM evaluation of identity policies: an explicit Deny wins, then any Allow, else implicit deny.
 * An unsupported operator, condition key or policy variable throws; it never grants.
 */

import type { Need } from '../base/aws-service.ts';
import type { Statement } from '../base/types.ts';
import { conditionsHold } from './conditions.ts';
import { matchesPattern } from './patterns.ts';

type Verdict = 'allowed' | 'denied' | 'not-allowed';

export const evaluatePolicy = (statements: readonly Statement[], need: Need): Verdict => {
  const verdicts = need.resources.map((resource) => judgeOne(statements, need, resource));
  return verdicts.find((verdict) => verdict === 'allowed') ?? verdicts.find((verdict) => verdict === 'denied') ?? 'not-allowed';
};

const judgeOne = (statements: readonly Statement[], need: Need, resource: string): Verdict => {
  const keys = { ...always, 'aws:ResourceAccount': accountOf(resource), ...need.keys };
  let verdict: Verdict = 'not-allowed';
  for (const statement of statementsOn(statements, need.action)) {
    const applies =
      statement.Resource.some((pattern) => matchesPattern(pattern, resource)) && conditionsHold(statement.Condition ?? {}, keys);
    if (!applies) continue;
    if (statement.Effect === 'Deny') return 'denied';
    verdict = 'allowed';
  }
  return verdict;
};

const known = new WeakMap<readonly Statement[], Map<string, readonly Statement[]>>();

/** The statements that name this action. A role calls the same few actions all the time. */
const statementsOn = (statements: readonly Statement[], action: string): readonly Statement[] => {
  const byAction = known.get(statements) ?? new Map<string, readonly Statement[]>();
  known.set(statements, byAction);
  const lower = action.toLowerCase();
  const found =
    byAction.get(lower) ??
    statements.filter(({ Action }) => Action.some((pattern) => matchesPattern(pattern.toLowerCase(), lower)));
  byAction.set(lower, found);
  return found;
};

/** The account field of an ARN; bucket ARNs have none. */
const accountOf = (arn: string): readonly string[] => arn.split(':').slice(4, 5).filter(Boolean);

// AWS endpoints use TLS. Loopback counts as secure here.
const always = { 'aws:SecureTransport': ['true'] };
