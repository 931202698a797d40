/** Laws over what lets others in: whom roles trust, and what policies of keys grant beside those of roles. */
import assert from 'node:assert/strict';
import { test } from 'vitest';
import { account } from '../../infra/local/base/types.ts';
import { templateResources } from '../../infra/local/unused-permissions/granted.ts';

interface Statement {
  readonly Effect: string;
  readonly Principal: Readonly<Record<string, unknown>>;
  readonly Condition?: { readonly StringEquals?: Readonly<Record<string, unknown>> };
}

const resources = await templateResources();
const statementsIn = (type: string, property: string): readonly (readonly [string, readonly Statement[]])[] =>
  resources
    .filter((resource) => resource.type === type)
    .map(({ logicalId, properties }) => [logicalId, (properties[property] as { Statement: readonly Statement[] }).Statement]);

// What a key's own policy grants needs no grant of a role: these leave all of it to the roles of the account.
test('keys are used by whom roles let, and by nobody else', () => {
  const keys = statementsIn('AWS::KMS::Key', 'KeyPolicy');
  assert.ok(keys.length >= 3);
  for (const [id, statements] of keys)
    for (const { Effect, Principal } of statements)
      assert.deepEqual([Effect, Principal], ['Allow', { AWS: `arn:aws:iam::${account}:root` }], id);
});

test('a role trusts one service of AWS, and one that acts for whoever asks it only within this account', () => {
  const roles = statementsIn('AWS::IAM::Role', 'AssumeRolePolicyDocument');
  assert.ok(roles.length > 100);
  for (const [id, statements] of roles) {
    assert.equal(statements.length, 1, id);
    const service = String(statements[0]?.Principal.Service);
    assert.match(service, /^(lambda|apigateway|scheduler|states)\.amazonaws\.com$/, id);
    // AWS advises it for those two; a function's role is only ever taken for the function, a route's for the route.
    if (/^(scheduler|states)/.test(service))
      assert.equal(statements[0]?.Condition?.StringEquals?.['aws:SourceAccount'], account, id);
  }
});
