import assert from 'node:assert/strict';
import { test } from 'vitest';
import { splitStatements } from '../../../../infra/local/iam/split-statements.ts';
import { allow, deny } from '../../../harness/aws/embedded-aws.ts';

const lines = (...[statements]: Parameters<typeof splitStatements>): readonly string[] =>
  splitStatements(statements).map(({ action, resource, conditions }) => [action, resource, ...conditions].join(' '));

test('permissions: each combination of action, resource and value is one permission; denials are none', () => {
  const statement = {
    ...allow('', ''),
    Action: ['kms:Encrypt', 'kms:Decrypt'],
    Resource: ['a', 'b'],
    Condition: { StringEquals: { 'kms:EncryptionContext:purpose': ['x', 'y'] } },
  };
  assert.equal(lines([statement, deny('kms:Sign', '*')]).length, 8);
  assert.equal(lines([statement])[3], 'kms:Decrypt b kms:EncryptionContext:purpose=x');
});

test('permissions: negative conditions are not split', () => {
  const condition = { StringNotEquals: { 'aws:ResourceAccount': '1' }, Null: { 'sts:ExternalId': 'false' } };
  assert.deepEqual(lines([allow('sts:AssumeRole', '*', condition)]), ['sts:AssumeRole *']);
});

test('permissions: only those that allow a call count as used by it', () => {
  const parts = splitStatements([
    allow('kms:Decrypt', 'key', { StringEquals: { 'kms:EncryptionContext:purpose': ['x', 'y'] } }),
    allow('kms:Decrypt', 'key', { StringEquals: { 'kms:EncryptionContext:SecretARN': 's' } }),
  ]);
  const need = { action: 'kms:Decrypt', resources: ['key'], keys: { 'kms:EncryptionContext:purpose': ['y'] } };
  assert.deepEqual(
    parts.filter((part) => part.lets(need)).map(({ conditions }) => conditions),
    [['kms:EncryptionContext:purpose=y']],
  );
});

test('permissions: a batch over several partitions uses the pattern of each', () => {
  const patterns = ['ORG#*', 'DELIVERY#*', 'SEEN#*'];
  const parts = splitStatements([
    allow('dynamodb:BatchGetItem', 't', { 'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': patterns } }),
  ]);
  const need = { action: 'dynamodb:BatchGetItem', resources: ['t'], keys: { 'dynamodb:LeadingKeys': ['ORG#1', 'DELIVERY#2'] } };
  assert.equal(parts.filter((part) => part.lets(need)).length, 2);
});
