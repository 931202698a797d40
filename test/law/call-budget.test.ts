/** An AWS call ends before its function, so that the function can still answer. */
import { ok } from 'node:assert/strict';
import { test } from 'vitest';
import { templateResources } from '../../infra/local/unused-permissions/granted.ts';
import { workers } from '../../shared/contract/runtime/workers.ts';
import { callBudgetMs } from '../../shared/platform/aws-client/call-aws.ts';

const functions = (await templateResources()).filter(({ type }) => type === 'AWS::Lambda::Function');

/** It has no capabilities, so it calls no service. */
const callsNothing = workers.fallback.summary;

test('the budget of an AWS call is below the timeout of every function that calls AWS', () => {
  ok(functions.length > 50);
  for (const { logicalId, properties } of functions) {
    const { Timeout, Description } = properties as { readonly Timeout?: number; readonly Description?: string };
    ok(Description === callsNothing || callBudgetMs < Number(Timeout) * 1_000, `${logicalId}: ${Timeout} s`);
  }
});
