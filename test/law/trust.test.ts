/** Laws about trust: who may assume roles, and what key policies grant. */
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

// A key policy can grant without a role: these delegate everything to the account's roles.
test('trust: keys are used through roles only', () => {
  const keys = statementsIn('AWS::KMS::Key', 'KeyPolicy');
  assert.ok(keys.length >= 3);
  for (const [id, statements] of keys)
    for (const { Effect, Principal } of statements)
      assert.deepEqual([Effect, Principal], ['Allow', { AWS: `arn:aws:iam::${account}:root` }], id);
});

test('trust: a role trusts one AWS service, and shared services only within this account', () => {
  const roles = statementsIn('AWS::IAM::Role', 'AssumeRolePolicyDocument');
  assert.ok(roles.length > 100);
  for (const [id, statements] of roles) {
    assert.equal(statements.length, 1, id);
    if (id.startsWith('GoogleRole')) continue;
    const service = String(statements[0]?.Principal.Service);
    assert.match(service, /^(lambda|apigateway|scheduler|states)\.amazonaws\.com$/, id);
    // AWS recommends it for these two; a function's or route's role is assumed only for that function or route.
    if (/^(scheduler|states)/.test(service))
      assert.equal(statements[0]?.Condition?.StringEquals?.['aws:SourceAccount'], account, id);
  }
});

test('trust: the role that Google trusts is assumed only by tagged roles of this account, for one organization, and may do nothing', () => {
  const [google] = resources.filter(({ type, logicalId }) => type === 'AWS::IAM::Role' && logicalId.startsWith('GoogleRole'));
  const { AssumeRolePolicyDocument, Policies, ManagedPolicyArns, RoleName } = google?.properties ?? {};
  const [statement] = (AssumeRolePolicyDocument as { Statement: readonly Statement[] }).Statement;
  assert.deepEqual(statement?.Principal, { AWS: `arn:aws:iam::${account}:root` });
  const conditions = {
    StringEquals: { 'aws:PrincipalTag/google-access': 'backup-management-service' },
    StringLike: { 'sts:RoleSessionName': 'org_*' },
  };
  assert.deepEqual(statement?.Condition, conditions);
  assert.deepEqual([Policies, ManagedPolicyArns], [undefined, undefined]);
  assert.equal(RoleName, 'backup-management-service-google-eu-central-1');
});
