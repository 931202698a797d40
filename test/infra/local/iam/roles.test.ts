import assert from 'node:assert/strict';
import { test } from 'vitest';
import type { ResolvedResource } from '../../../../infra/local/cloudformation/read-template.ts';
import { readAssumable, readTrust } from '../../../../infra/local/iam/roles.ts';

const group = 'arn:aws:scheduler:eu-central-1:111122223333:schedule-group/ours';
const arn = 'arn:aws:iam::111122223333:role/clock';

const trustOf = (statement: object) =>
  readTrust([
    { type: 'AWS::IAM::Role', arn, properties: { AssumeRolePolicyDocument: { Statement: [statement] } } },
  ] as unknown as readonly ResolvedResource[]);

const scheduler = { Effect: 'Allow', Action: 'sts:AssumeRole', Principal: { Service: 'scheduler.amazonaws.com' } };
const entry = { service: 'scheduler.amazonaws.com', sourceArn: group };

test('roles: a role is assumed only by the service it trusts', () => {
  const trusts = trustOf(scheduler);
  assert.equal(trusts(arn, entry), true);
  assert.equal(trusts(arn, { ...entry, service: 'states.amazonaws.com' }), false);
  assert.equal(trusts('arn:aws:iam::111122223333:role/other', entry), false);
});

test('roles: a role is assumed only for the account and resource of its conditions', () => {
  const trusts = trustOf({
    ...scheduler,
    Condition: { StringEquals: { 'aws:SourceAccount': '111122223333', 'aws:SourceArn': group } },
  });
  assert.equal(trusts(arn, entry), true);
  assert.equal(trusts(arn, { ...entry, sourceArn: group.replace('ours', 'default') }), false);
  assert.equal(trusts(arn, { ...entry, sourceArn: group.replace('111122223333', '999900001111') }), false);
});

test('roles: a trust policy for another action does not allow assuming the role', () => {
  assert.equal(trustOf({ ...scheduler, Action: 'sts:TagSession' })(arn, entry), false);
  assert.equal(trustOf({ ...scheduler, Effect: 'Deny' })(arn, entry), false);
});

test('roles: a role of the template is assumed only by roles with the tag, under a session name of the condition', () => {
  const caller = (name: string, tag?: string) => ({
    type: 'AWS::IAM::Role',
    arn: `arn:aws:iam::111122223333:role/${name}`,
    properties: { AssumeRolePolicyDocument: { Statement: [] }, ...(tag && { Tags: [{ Key: 'google-access', Value: tag }] }) },
  });
  const trusted = {
    Effect: 'Allow',
    Action: 'sts:AssumeRole',
    Principal: { AWS: 'arn:aws:iam::111122223333:root' },
    Condition: {
      StringEquals: { 'aws:PrincipalTag/google-access': 'ours' },
      StringLike: { 'sts:RoleSessionName': 'org_*' },
    },
  };
  const isAssumable = readAssumable([
    { type: 'AWS::IAM::Role', arn, properties: { AssumeRolePolicyDocument: { Statement: [trusted] } } },
    caller('copy', 'ours'),
    caller('other', 'theirs'),
    caller('plain'),
  ] as unknown as readonly ResolvedResource[]);
  const by = (name: string, sessionName = 'org_1') =>
    isAssumable({ roleArn: arn, callerArn: `arn:aws:iam::111122223333:role/${name}`, sessionName });
  assert.deepEqual([by('copy'), by('other'), by('plain'), by('copy', 'admin')], [true, false, false, false]);
  assert.equal(isAssumable({ roleArn: arn, callerArn: 'arn:aws:iam::999900001111:role/copy', sessionName: 'org_1' }), false);
  assert.equal(isAssumable({ roleArn: `${arn}-else`, callerArn: arn, sessionName: 'org_1' }), undefined);
});
