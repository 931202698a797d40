import assert from 'node:assert/strict';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import * as sm from '@aws-sdk/client-secrets-manager';
import { type TestContext, test } from 'vitest';
import type { Resource, Statement } from '../../../../infra/local/base/types.ts';
import { openSecrets } from '../../../../infra/local/engines/secrets.ts';
import { jsonService } from '../../../../infra/local/engines/shared/aws-protocols.ts';
import { account, allow, frontOf, region, resource, tempDir } from '../../../harness/aws/embedded-aws.ts';

const arn = `arn:aws:secretsmanager:${region}:${account}:secret:service-a1b2c3`;
const keyArn = `arn:aws:kms:${region}:${account}:key/sealing`;
const secret = (properties: Resource['properties']) =>
  resource('AWS::SecretsManager::Secret', { name: 'service', properties, arn });

const start = async (
  t: TestContext,
  properties: Resource['properties'],
  options: { dir?: string; callers?: Record<string, readonly Statement[]> } = {},
) => {
  const dir = options.dir ?? tempDir(t);
  const engine = openSecrets({ dir, region, account });
  engine.provision(secret(properties));
  const { client } = await frontOf(t, { services: { secretsmanager: jsonService('1.1', engine) }, callers: options.callers });
  const read = (SecretId: string, name?: string, input = {}) =>
    new sm.SecretsManagerClient(client(name)).send(new sm.GetSecretValueCommand({ SecretId, ...input }));
  return { dir, read, client: new sm.SecretsManagerClient(client()) };
};

test('secrets: a generated secret is random, follows its rules and survives a restart in a file only its owner reads', async (t) => {
  const properties = { GenerateSecretString: { PasswordLength: 64, ExcludePunctuation: true, ExcludeCharacters: 'abc' } };
  const first = await start(t, properties);
  const { SecretString } = await first.read('service');
  assert.match(SecretString!, /^[d-zA-Z0-9]{64}$/);
  const second = await start(t, properties, { dir: first.dir });
  assert.equal((await second.read(arn)).SecretString, SecretString);
  assert.notEqual((await (await start(t, properties)).read('service')).SecretString, SecretString);
  assert.equal(statSync(join(first.dir, 'secrets', 'secrets.jsonl')).mode & 0o777, 0o600);
});

test('secrets: a generated secret can be a field of a JSON object', async (t) => {
  const { read } = await start(t, {
    GenerateSecretString: { SecretStringTemplate: '{"user":"x"}', GenerateStringKey: 'password' },
  });
  const { user, password } = JSON.parse((await read('service')).SecretString!);
  assert.equal(user, 'x');
  assert.equal(password.length, 32);
});

test('secrets: a new value becomes current, the old one previous, and the template does not undo it', async (t) => {
  const { dir, read, client } = await start(t, { SecretString: 'one' });
  await client.send(new sm.PutSecretValueCommand({ SecretId: arn, SecretString: 'two' }));
  assert.equal((await read('service')).SecretString, 'two');
  assert.equal((await read('service', undefined, { VersionStage: 'AWSPREVIOUS' })).SecretString, 'one');
  const again = await start(t, { SecretString: 'one' }, { dir });
  assert.equal((await again.read('service')).SecretString, 'two');
  const changed = await start(t, { SecretString: 'three' }, { dir });
  assert.equal((await changed.read('service')).SecretString, 'three');
});

test('secrets: an unknown secret is a ResourceNotFoundException', async (t) => {
  const { read } = await start(t, {});
  await assert.rejects(read('nothing'), { name: 'ResourceNotFoundException' });
});

// On AWS a secret with a customer-managed key needs two permissions, and the second is easily forgotten.
test('secrets: reading a secret needs permission to decrypt with its key, for that secret', async (t) => {
  const get = allow('secretsmanager:GetSecretValue', arn);
  const decrypt = (secretArn: string) =>
    allow('kms:Decrypt', keyArn, { StringEquals: { 'kms:EncryptionContext:SecretARN': secretArn } });
  const callers = { Both: [get, decrypt(arn)], NoKey: [get], OtherSecret: [get, decrypt(`${arn}x`)], None: [] };
  const { read } = await start(t, { KmsKeyId: keyArn }, { callers });
  assert.ok((await read(arn, 'Both')).SecretString);
  await assert.rejects(read(arn, 'NoKey'), /not authorized to perform: kms:Decrypt/);
  await assert.rejects(read(arn, 'OtherSecret'), /not authorized to perform: kms:Decrypt/);
  await assert.rejects(read(arn, 'None'), /not authorized to perform: secretsmanager:GetSecretValue/);
});
