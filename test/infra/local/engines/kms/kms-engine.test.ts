import assert from 'node:assert/strict';
import { createHash, createPublicKey, createVerify } from 'node:crypto';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import * as kms from '@aws-sdk/client-kms';
import { type TestContext, test } from 'vitest';
import type { Statement } from '../../../../../infra/local/base/types.ts';
import { openKmsEngine } from '../../../../../infra/local/engines/kms/kms-engine.ts';
import { jsonService } from '../../../../../infra/local/engines/shared/aws-protocols.ts';
import { account, allow, frontOf, region, resource, tempDir } from '../../../../harness/aws/embedded-aws.ts';

const arn = (id: string) => `arn:aws:kms:${region}:${account}:key/${id}`;

const start = async (t: TestContext, callers: Record<string, readonly Statement[]> = {}, dir = tempDir(t)) => {
  const engine = openKmsEngine({ dir, region, account });
  await engine.provision(
    resource('AWS::KMS::Key', {
      name: 'signing',
      properties: { KeySpec: 'RSA_2048', KeyUsage: 'SIGN_VERIFY' },
      arn: arn('signing'),
    }),
  );
  await engine.provision(resource('AWS::KMS::Key', { name: 'sealing', properties: {}, arn: arn('sealing') }));
  await engine.provision(resource('AWS::KMS::Key', { name: 'other', properties: {}, arn: arn('other') }));
  await engine.provision(
    resource('AWS::KMS::Alias', { name: 'alias', properties: { AliasName: 'alias/app', TargetKeyId: arn('sealing') } }),
  );
  const { client, used } = await frontOf(t, { services: { kms: jsonService('1.1', engine) }, callers });
  return { dir, used, client: (name?: string) => new kms.KMSClient(client(name)) };
};

const named = (name: string) => (error: Error) => error.name === name;
const SigningAlgorithm = 'RSASSA_PKCS1_V1_5_SHA_256';

test('kms: a signature over a message or its digest verifies with the public key', async (t) => {
  const { client } = await start(t);
  const { PublicKey } = await client().send(new kms.GetPublicKeyCommand({ KeyId: 'signing' }));
  const publicKey = createPublicKey({ key: Buffer.from(PublicKey!), format: 'der', type: 'spki' });
  const Message = Buffer.from('header.payload');
  const digest = createHash('sha256').update(Message).digest();
  const raw = await client().send(new kms.SignCommand({ KeyId: 'signing', Message, MessageType: 'RAW', SigningAlgorithm }));
  const digested = await client().send(
    new kms.SignCommand({ KeyId: arn('signing'), Message: digest, MessageType: 'DIGEST', SigningAlgorithm }),
  );
  assert.deepEqual(raw.Signature, digested.Signature);
  assert.ok(createVerify('sha256').update(Message).verify(publicKey, raw.Signature!));
  const verify = (text: string, MessageType: 'RAW' | 'DIGEST') =>
    client().send(
      new kms.VerifyCommand({
        KeyId: 'signing',
        Message: MessageType === 'RAW' ? Buffer.from(text) : createHash('sha256').update(text).digest(),
        MessageType,
        Signature: raw.Signature,
        SigningAlgorithm,
      }),
    );
  for (const kind of ['RAW', 'DIGEST'] as const) {
    assert.equal((await verify('header.payload', kind)).SignatureValid, true);
    await assert.rejects(verify('header.forged', kind), named('KMSInvalidSignatureException'));
  }
});

test('kms: decryption needs the same encryption context, in any order', async (t) => {
  const { client } = await start(t);
  const { CiphertextBlob } = await client().send(
    new kms.EncryptCommand({ KeyId: 'alias/app', Plaintext: Buffer.from('s3cret'), EncryptionContext: { a: '1', b: '2' } }),
  );
  const open = (EncryptionContext: Record<string, string>, KeyId?: string) =>
    client().send(new kms.DecryptCommand({ CiphertextBlob, EncryptionContext, ...(KeyId && { KeyId }) }));
  const { Plaintext, KeyId } = await open({ b: '2', a: '1' });
  assert.equal(Buffer.from(Plaintext!).toString(), 's3cret');
  assert.equal(KeyId, arn('sealing'));
  await assert.rejects(open({ a: '1' }), named('InvalidCiphertextException'));
  await assert.rejects(open({ a: '1', b: '3' }), named('InvalidCiphertextException'));
  await assert.rejects(open({ a: '1', b: '2' }, 'other'), named('IncorrectKeyException'));
});

test('kms: a modified or foreign ciphertext is rejected', async (t) => {
  const { client } = await start(t);
  const { CiphertextBlob } = await client().send(new kms.EncryptCommand({ KeyId: 'sealing', Plaintext: Buffer.from('x') }));
  const changed = Uint8Array.from(CiphertextBlob!);
  changed[changed.length - 1]! ^= 1;
  const open = (blob: Uint8Array) => client().send(new kms.DecryptCommand({ CiphertextBlob: blob }));
  await assert.rejects(open(changed), named('InvalidCiphertextException'));
  await assert.rejects(open(Buffer.from('junk')), named('InvalidCiphertextException'));
});

test('kms: a data key is returned with its ciphertext, or only encrypted', async (t) => {
  const { client } = await start(t);
  const EncryptionContext = { org: 'org_1' };
  const made = await client().send(new kms.GenerateDataKeyCommand({ KeyId: 'sealing', KeySpec: 'AES_256', EncryptionContext }));
  assert.equal(made.Plaintext?.length, 32);
  const opened = await client().send(new kms.DecryptCommand({ CiphertextBlob: made.CiphertextBlob, EncryptionContext }));
  assert.deepEqual(opened.Plaintext, made.Plaintext);
  const sealed = await client().send(new kms.GenerateDataKeyWithoutPlaintextCommand({ KeyId: 'sealing', KeySpec: 'AES_256' }));
  assert.equal('Plaintext' in sealed && sealed.Plaintext, false);
  assert.ok(sealed.CiphertextBlob);
});

test('kms: re-encryption moves a ciphertext to another key and context', async (t) => {
  const { client } = await start(t);
  const { CiphertextBlob } = await client().send(
    new kms.EncryptCommand({ KeyId: 'sealing', Plaintext: Buffer.from('x'), EncryptionContext: { v: '1' } }),
  );
  const moved = await client().send(
    new kms.ReEncryptCommand({
      CiphertextBlob,
      SourceEncryptionContext: { v: '1' },
      DestinationKeyId: 'other',
      DestinationEncryptionContext: { v: '2' },
    }),
  );
  assert.deepEqual([moved.SourceKeyId, moved.KeyId], [arn('sealing'), arn('other')]);
  const opened = await client().send(
    new kms.DecryptCommand({ CiphertextBlob: moved.CiphertextBlob, EncryptionContext: { v: '2' } }),
  );
  assert.equal(Buffer.from(opened.Plaintext!).toString(), 'x');
});

test('kms: a disabled key is a DisabledException, one pending deletion KMSInvalidStateException, an unknown one NotFoundException', async (t) => {
  const { client } = await start(t);
  const encrypt = (KeyId: string) => client().send(new kms.EncryptCommand({ KeyId, Plaintext: Buffer.from('x') }));
  await client().send(new kms.DisableKeyCommand({ KeyId: 'sealing' }));
  await assert.rejects(encrypt('sealing'), named('DisabledException'));
  await client().send(new kms.EnableKeyCommand({ KeyId: 'sealing' }));
  await encrypt('sealing');
  await client().send(new kms.ScheduleKeyDeletionCommand({ KeyId: 'sealing' }));
  await assert.rejects(encrypt('sealing'), named('KMSInvalidStateException'));
  const { KeyMetadata } = await client().send(new kms.DescribeKeyCommand({ KeyId: 'alias/app' }));
  assert.equal(KeyMetadata?.KeyState, 'PendingDeletion');
  await assert.rejects(encrypt('nobody'), named('NotFoundException'));
  await assert.rejects(encrypt('signing'), named('InvalidKeyUsageException'));
});

test('kms: keys survive a restart, in files only their owner reads', async (t) => {
  const first = await start(t);
  const { CiphertextBlob } = await first.client().send(new kms.EncryptCommand({ KeyId: 'sealing', Plaintext: Buffer.from('x') }));
  const second = await start(t, {}, first.dir);
  const { Plaintext } = await second.client().send(new kms.DecryptCommand({ CiphertextBlob }));
  assert.equal(Buffer.from(Plaintext!).toString(), 'x');
  assert.equal(statSync(join(first.dir, 'kms', 'keys.jsonl')).mode & 0o777, 0o600);
});

test('kms: a grant limited to an encryption context decrypts only that', async (t) => {
  const bound = allow('kms:*', arn('sealing'), { StringEquals: { 'kms:EncryptionContext:org': 'org_1' } });
  const { client, used } = await start(t, { Fn: [bound] });
  const encrypt = (org: string, KeyId = 'alias/app') =>
    client('Fn').send(new kms.EncryptCommand({ KeyId, Plaintext: Buffer.from('x'), EncryptionContext: { org } }));
  await encrypt('org_1');
  await assert.rejects(encrypt('org_2'), {
    name: 'AccessDeniedException',
    message: `User: Fn is not authorized to perform: kms:Encrypt on resource: ${arn('sealing')} because no identity-based policy allows the kms:Encrypt action`,
  });
  await assert.rejects(encrypt('org_1', 'other'), named('AccessDeniedException'));
  assert.deepEqual(used(), [
    { principal: 'Fn', action: 'kms:*', resource: arn('sealing'), conditions: ['kms:EncryptionContext:org=org_1'] },
  ]);
});
