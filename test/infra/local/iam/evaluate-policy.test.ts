import assert from 'node:assert/strict';
import { test } from 'vitest';
import type { Statement } from '../../../../infra/local/base/types.ts';
import { evaluatePolicy } from '../../../../infra/local/iam/evaluate-policy.ts';
import { PolicyError } from '../../../../infra/local/iam/patterns.ts';
import { allow, deny } from '../../../harness/aws/embedded-aws.ts';

const table = 'arn:aws:dynamodb:eu-central-1:111122223333:table/main';
const verdict = (statements: readonly Statement[], action: string, resource: string, keys: Record<string, string[]> = {}) =>
  evaluatePolicy(statements, { action, resources: [resource], keys });

test('what no statement allows is not allowed', () => {
  assert.equal(verdict([], 'dynamodb:GetItem', table), 'not-allowed');
  assert.equal(verdict([allow('dynamodb:PutItem', table)], 'dynamodb:GetItem', table), 'not-allowed');
  assert.equal(verdict([allow('dynamodb:GetItem', `${table}2`)], 'dynamodb:GetItem', table), 'not-allowed');
});

test('an explicit deny wins over any allow, whatever their order', () => {
  const statements = [allow('*', '*'), deny('dynamodb:DeleteItem', table)];
  assert.equal(verdict(statements, 'dynamodb:DeleteItem', table), 'denied');
  assert.equal(verdict(statements.toReversed(), 'dynamodb:DeleteItem', table), 'denied');
  assert.equal(verdict(statements, 'dynamodb:PutItem', table), 'allowed');
});

test('actions match without case, resources with case; * is any text and ? one character', () => {
  assert.equal(verdict([allow('DynamoDB:get*', table)], 'dynamodb:GetItem', table), 'allowed');
  assert.equal(verdict([allow('dynamodb:*', table.toUpperCase())], 'dynamodb:GetItem', table), 'not-allowed');
  assert.equal(verdict([allow('*', 'arn:aws:dynamodb:*:*:table/ma?n')], 'dynamodb:GetItem', table), 'allowed');
  assert.equal(verdict([allow('*', 'arn:aws:dynamodb:*:*:table/mai?n')], 'dynamodb:GetItem', table), 'not-allowed');
});

test('a dot or a bracket in a pattern is only itself', () => {
  assert.equal(
    verdict([allow('*', 'arn:aws:ses:r:a:identity/a.b')], 'ses:SendEmail', 'arn:aws:ses:r:a:identity/axb'),
    'not-allowed',
  );
  assert.equal(verdict([allow('*', 'a[b]*')], 'x:Y', 'a[b]c'), 'allowed');
});

test('every leading key must match for ForAllValues, one suffices for ForAnyValue', () => {
  const all = [allow('*', '*', { 'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': ['RATE#*', 'SEEN#*'] } })];
  const any = [allow('*', '*', { 'ForAnyValue:StringLike': { 'dynamodb:LeadingKeys': 'RATE#*' } })];
  const keys = (...values: string[]) => ({ 'dynamodb:LeadingKeys': values });
  assert.equal(verdict(all, 'a:B', table, keys('RATE#1', 'SEEN#2')), 'allowed');
  assert.equal(verdict(all, 'a:B', table, keys('RATE#1', 'ORG#2')), 'not-allowed');
  assert.equal(verdict(any, 'a:B', table, keys('RATE#1', 'ORG#2')), 'allowed');
  assert.equal(verdict(any, 'a:B', table, keys('ORG#2')), 'not-allowed');
});

test('an absent key fails a positive test and ForAnyValue, and passes a negated test, IfExists and ForAllValues', () => {
  const outcomes = Object.fromEntries(
    ['StringEquals', 'ForAnyValue:StringEquals', 'StringNotEquals', 'StringEqualsIfExists', 'ForAllValues:StringEquals'].map(
      (operator) => [operator, verdict([allow('*', '*', { [operator]: { 'kms:ViaService': 'x' } })], 'a:B', table)],
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

test('Null asks whether a key is absent', () => {
  const absent = [allow('*', '*', { Null: { 'kms:ViaService': 'true' } })];
  const present = [allow('*', '*', { Null: { 'kms:ViaService': 'false' } })];
  assert.equal(verdict(absent, 'a:B', table), 'allowed');
  assert.equal(verdict(present, 'a:B', table), 'not-allowed');
  assert.equal(verdict(absent, 'a:B', table, { 'kms:ViaService': ['x'] }), 'not-allowed');
  assert.equal(verdict(present, 'a:B', table, { 'kms:ViaService': ['x'] }), 'allowed');
});

test('the account of a resource is the one its ARN names', () => {
  const elsewhere = [allow('sts:AssumeRole', '*', { StringNotEquals: { 'aws:ResourceAccount': '111122223333' } })];
  assert.equal(verdict(elsewhere, 'sts:AssumeRole', 'arn:aws:iam::444455556666:role/x'), 'allowed');
  assert.equal(verdict(elsewhere, 'sts:AssumeRole', 'arn:aws:iam::111122223333:role/x'), 'not-allowed');
  const here = [allow('*', '*', { StringEquals: { 'aws:ResourceAccount': '111122223333' } })];
  assert.equal(verdict(here, 'a:B', table), 'allowed');
  assert.equal(verdict(here, 's3:GetObject', 'arn:aws:s3:::bucket/key'), 'not-allowed');
});

test('a role may be held to be taken with an ExternalId only', () => {
  const role = 'arn:aws:iam::444455556666:role/x';
  const held = [allow('sts:AssumeRole', '*', { Null: { 'sts:ExternalId': 'false' } })];
  assert.equal(verdict(held, 'sts:AssumeRole', role), 'not-allowed');
  assert.equal(verdict(held, 'sts:AssumeRole', role, { 'sts:ExternalId': ['org_1'] }), 'allowed');
});

test('the loopback counts as secure transport', () => {
  const insecure = { Bool: { 'aws:SecureTransport': 'false' } };
  assert.equal(verdict([allow('*', '*'), deny('*', '*', insecure)], 'sqs:SendMessage', table), 'allowed');
});

test('every operator and every key of a condition must hold', () => {
  const both = [
    allow('*', '*', {
      StringEquals: { 'kms:EncryptionContext:org': 'org_1', 'kms:EncryptionContext:project': 'prj_1' },
      StringLike: { 'kms:ViaService': 'secretsmanager.*' },
    }),
  ];
  const keys = { 'kms:EncryptionContext:org': ['org_1'], 'kms:EncryptionContext:project': ['prj_1'] };
  assert.equal(verdict(both, 'a:B', table, { ...keys, 'kms:ViaService': ['secretsmanager.x'] }), 'allowed');
  assert.equal(verdict(both, 'a:B', table, { ...keys, 'kms:ViaService': ['s3.x'] }), 'not-allowed');
  assert.equal(verdict(both, 'a:B', table, { ...keys, 'kms:EncryptionContext:org': ['org_2'] }), 'not-allowed');
});

// Quietly reading an unknown condition as true or false would let something pass here that AWS refuses.
test('an operator, a key or a variable that is not known is an error, not an answer', () => {
  assert.throws(() => verdict([allow('*', '*', { IpAddress: { 'kms:ViaService': 'x' } })], 'a:B', table), PolicyError);
  assert.throws(() => verdict([allow('*', '*', { StringEquals: { 'aws:PrincipalTag/a': 'x' } })], 'a:B', table), PolicyError);
  assert.throws(() => verdict([deny('*', ['arn:aws:s3:::home/$', '{aws:username}'].join(''))], 'a:B', table), PolicyError);
});

test('a statement about something else is not asked for its conditions', () => {
  const strange = allow('s3:*', '*', { IpAddress: { 'aws:SourceIp': 'x' } });
  assert.equal(verdict([strange, allow('a:B', '*')], 'a:B', table), 'allowed');
});

test('where one of several resources suffices, one grant suffices', () => {
  const need = { action: 'ses:SendEmail', resources: ['identity/a@b.c', 'identity/b.c'] };
  assert.equal(evaluatePolicy([allow('ses:SendEmail', 'identity/b.c')], need), 'allowed');
  assert.equal(evaluatePolicy([allow('ses:SendEmail', 'identity/c')], need), 'not-allowed');
});
