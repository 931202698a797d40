import assert from 'node:assert/strict';
import { test } from 'vitest';
import type { Statement } from '../../../../infra/local/base/types.ts';
import { evaluatePolicy } from '../../../../infra/local/iam/evaluate-policy.ts';
import { PolicyError } from '../../../../infra/local/iam/patterns.ts';
import { allow, deny } from '../../../harness/aws/embedded-aws.ts';

const table = 'arn:aws:dynamodb:eu-central-1:111122223333:table/main';
const verdict = (
  statements: readonly Statement[],
  {
    action,
    resource,
    keys = {},
  }: { readonly action: string; readonly resource: string; readonly keys?: Record<string, string[]> | undefined },
) => evaluatePolicy(statements, { action, resources: [resource], keys });

test('iam: an action without a matching statement is denied', () => {
  assert.equal(verdict([], { action: 'dynamodb:GetItem', resource: table }), 'not-allowed');
  assert.equal(verdict([allow('dynamodb:PutItem', table)], { action: 'dynamodb:GetItem', resource: table }), 'not-allowed');
  assert.equal(verdict([allow('dynamodb:GetItem', `${table}2`)], { action: 'dynamodb:GetItem', resource: table }), 'not-allowed');
});

test('iam: an explicit deny overrides any allow, in any order', () => {
  const statements = [allow('*', '*'), deny('dynamodb:DeleteItem', table)];
  assert.equal(verdict(statements, { action: 'dynamodb:DeleteItem', resource: table }), 'denied');
  assert.equal(verdict(statements.toReversed(), { action: 'dynamodb:DeleteItem', resource: table }), 'denied');
  assert.equal(verdict(statements, { action: 'dynamodb:PutItem', resource: table }), 'allowed');
});

test('iam: actions match case-insensitively, resources case-sensitively; * is any text and ? one character', () => {
  assert.equal(verdict([allow('DynamoDB:get*', table)], { action: 'dynamodb:GetItem', resource: table }), 'allowed');
  assert.equal(
    verdict([allow('dynamodb:*', table.toUpperCase())], { action: 'dynamodb:GetItem', resource: table }),
    'not-allowed',
  );
  assert.equal(
    verdict([allow('*', 'arn:aws:dynamodb:*:*:table/ma?n')], { action: 'dynamodb:GetItem', resource: table }),
    'allowed',
  );
  assert.equal(
    verdict([allow('*', 'arn:aws:dynamodb:*:*:table/mai?n')], { action: 'dynamodb:GetItem', resource: table }),
    'not-allowed',
  );
});

test('iam: a dot or a bracket in a pattern is literal', () => {
  assert.equal(
    verdict([allow('*', 'arn:aws:ses:r:a:identity/a.b')], { action: 'ses:SendEmail', resource: 'arn:aws:ses:r:a:identity/axb' }),
    'not-allowed',
  );
  assert.equal(verdict([allow('*', 'a[b]*')], { action: 'x:Y', resource: 'a[b]c' }), 'allowed');
});

test('iam: ForAllValues needs all leading keys to match, ForAnyValue needs one', () => {
  const all = [allow('*', '*', { 'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': ['RATE#*', 'SEEN#*'] } })];
  const any = [allow('*', '*', { 'ForAnyValue:StringLike': { 'dynamodb:LeadingKeys': 'RATE#*' } })];
  const keys = (...values: string[]) => ({ 'dynamodb:LeadingKeys': values });
  assert.equal(verdict(all, { action: 'a:B', resource: table, keys: keys('RATE#1', 'SEEN#2') }), 'allowed');
  assert.equal(verdict(all, { action: 'a:B', resource: table, keys: keys('RATE#1', 'ORG#2') }), 'not-allowed');
  assert.equal(verdict(any, { action: 'a:B', resource: table, keys: keys('RATE#1', 'ORG#2') }), 'allowed');
  assert.equal(verdict(any, { action: 'a:B', resource: table, keys: keys('ORG#2') }), 'not-allowed');
});

test('iam: an absent key fails a positive test and ForAnyValue, and passes a negated test, IfExists and ForAllValues', () => {
  const outcomes = Object.fromEntries(
    ['StringEquals', 'ForAnyValue:StringEquals', 'StringNotEquals', 'StringEqualsIfExists', 'ForAllValues:StringEquals'].map(
      (operator) => [
        operator,
        verdict([allow('*', '*', { [operator]: { 'kms:ViaService': 'x' } })], { action: 'a:B', resource: table }),
      ],
    ),
  );
  assert.deepEqual(outcomes, {
    StringEquals: 'not-allowed',
    'ForAnyValue:StringEquals': 'not-allowed',
    StringNotEquals: 'allowed',
    StringEqualsIfExists: 'allowed',
    'ForAllValues:StringEquals': 'allowed',
  });
});

test('iam: Null tests whether a key is absent', () => {
  const absent = [allow('*', '*', { Null: { 'kms:ViaService': 'true' } })];
  const present = [allow('*', '*', { Null: { 'kms:ViaService': 'false' } })];
  assert.equal(verdict(absent, { action: 'a:B', resource: table }), 'allowed');
  assert.equal(verdict(present, { action: 'a:B', resource: table }), 'not-allowed');
  assert.equal(verdict(absent, { action: 'a:B', resource: table, keys: { 'kms:ViaService': ['x'] } }), 'not-allowed');
  assert.equal(verdict(present, { action: 'a:B', resource: table, keys: { 'kms:ViaService': ['x'] } }), 'allowed');
});

test('iam: the account of a resource is that of its ARN', () => {
  const elsewhere = [allow('sts:AssumeRole', '*', { StringNotEquals: { 'aws:ResourceAccount': '111122223333' } })];
  assert.equal(verdict(elsewhere, { action: 'sts:AssumeRole', resource: 'arn:aws:iam::444455556666:role/x' }), 'allowed');
  assert.equal(verdict(elsewhere, { action: 'sts:AssumeRole', resource: 'arn:aws:iam::111122223333:role/x' }), 'not-allowed');
  const here = [allow('*', '*', { StringEquals: { 'aws:ResourceAccount': '111122223333' } })];
  assert.equal(verdict(here, { action: 'a:B', resource: table }), 'allowed');
  assert.equal(verdict(here, { action: 's3:GetObject', resource: 'arn:aws:s3:::bucket/key' }), 'not-allowed');
});

test('iam: AssumeRole can be limited to calls with an ExternalId', () => {
  const role = 'arn:aws:iam::444455556666:role/x';
  const held = [allow('sts:AssumeRole', '*', { Null: { 'sts:ExternalId': 'false' } })];
  assert.equal(verdict(held, { action: 'sts:AssumeRole', resource: role }), 'not-allowed');
  assert.equal(verdict(held, { action: 'sts:AssumeRole', resource: role, keys: { 'sts:ExternalId': ['org_1'] } }), 'allowed');
});

test('iam: loopback counts as secure transport', () => {
  const insecure = { Bool: { 'aws:SecureTransport': 'false' } };
  assert.equal(verdict([allow('*', '*'), deny('*', '*', insecure)], { action: 'sqs:SendMessage', resource: table }), 'allowed');
});

test('iam: all operators and keys of a condition must match', () => {
  const both = [
    allow('*', '*', {
      StringEquals: { 'kms:EncryptionContext:org': 'org_1', 'kms:EncryptionContext:project': 'prj_1' },
      StringLike: { 'kms:ViaService': 'secretsmanager.*' },
    }),
  ];
  const keys = { 'kms:EncryptionContext:org': ['org_1'], 'kms:EncryptionContext:project': ['prj_1'] };
  assert.equal(
    verdict(both, { action: 'a:B', resource: table, keys: { ...keys, 'kms:ViaService': ['secretsmanager.x'] } }),
    'allowed',
  );
  assert.equal(verdict(both, { action: 'a:B', resource: table, keys: { ...keys, 'kms:ViaService': ['s3.x'] } }), 'not-allowed');
  assert.equal(
    verdict(both, { action: 'a:B', resource: table, keys: { ...keys, 'kms:EncryptionContext:org': ['org_2'] } }),
    'not-allowed',
  );
});

// Treating an unknown condition as true or false could allow something here that AWS denies.
test('iam: an unknown operator, key or variable is an error', () => {
  assert.throws(
    () => verdict([allow('*', '*', { IpAddress: { 'kms:ViaService': 'x' } })], { action: 'a:B', resource: table }),
    PolicyError,
  );
  assert.throws(
    () => verdict([allow('*', '*', { StringEquals: { 'aws:PrincipalTag/a': 'x' } })], { action: 'a:B', resource: table }),
    PolicyError,
  );
  assert.throws(
    () => verdict([deny('*', ['arn:aws:s3:::home/$', '{aws:username}'].join(''))], { action: 'a:B', resource: table }),
    PolicyError,
  );
});

test('iam: the conditions of a statement that does not match are not evaluated', () => {
  const strange = allow('s3:*', '*', { IpAddress: { 'aws:SourceIp': 'x' } });
  assert.equal(verdict([strange, allow('a:B', '*')], { action: 'a:B', resource: table }), 'allowed');
});

test('iam: if one of several resources suffices, one grant suffices', () => {
  const need = { action: 'ses:SendEmail', resources: ['identity/a@b.c', 'identity/b.c'] };
  assert.equal(evaluatePolicy([allow('ses:SendEmail', 'identity/b.c')], need), 'allowed');
  assert.equal(evaluatePolicy([allow('ses:SendEmail', 'identity/c')], need), 'not-allowed');
});
