/** KMS: the keys and the operations the service uses. Key material never leaves this file. */
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { AwsError, type EngineOptions, type Json, makeEngine, type Need, type Operation, text } from '../../base/aws-service.ts';
import type { Resource } from '../../base/types.ts';
import { openAppendLog } from '../shared/append-log.ts';
import { publicKeyOf, signRsa, verifyRsa } from './rsa-signing.ts';
import { newKey, type StoredKey } from './stored-key.ts';

export const openKmsEngine = ({ dir, region, account }: EngineOptions) => {
  const keys = openAppendLog<StoredKey>(join(dir, 'kms', 'keys.jsonl'));
  const aliases = openAppendLog<{ name: string; keyId: string }>(join(dir, 'kms', 'aliases.jsonl'));
  const arnOf = (keyId: string): string => keys.get(keyId)?.arn ?? `arn:aws:kms:${region}:${account}:key/${keyId}`;

  /** Resolves an id, an ARN or an alias to the key's id. */
  const idOf = (given: string): string => {
    const name = given.startsWith('arn:') ? given.slice(given.split(':', 5).join(':').length + 1) : given;
    if (!name.startsWith('alias/')) return name.replace(/^key\//, '');
    return aliases.get(name)?.keyId ?? name;
  };

  const find = (given: string): StoredKey => {
    const key = keys.get(idOf(given));
    if (!key) throw new AwsError('NotFoundException', `Key '${given}' does not exist`);
    return key;
  };

  const usable = (given: string, usage: StoredKey['usage']): StoredKey => {
    const key = find(given);
    if (key.state === 'Disabled') throw new AwsError('DisabledException', `${key.arn} is disabled.`);
    if (key.state === 'PendingDeletion') throw new AwsError('KMSInvalidStateException', `${key.arn} is pending deletion.`);
    if (key.usage !== usage) throw new AwsError('InvalidKeyUsageException', `${key.arn} key usage is ${key.usage}`);
    return key;
  };

  const change = (input: Json, state: StoredKey['state'], from: readonly StoredKey['state'][]): Json => {
    const key = find(text(input, 'KeyId'));
    if (!from.includes(key.state)) throw new AwsError('KMSInvalidStateException', `${key.arn} is ${key.state}.`);
    keys.set(key.id, { ...key, state });
    return { KeyId: key.arn, KeyState: state };
  };

  const seal = (
    key: StoredKey,
    {
      plain,
      input,
      field = 'EncryptionContext',
    }: { readonly plain: Buffer; readonly input: Json; readonly field?: string | undefined },
  ): string => {
    const iv = randomBytes(12);
    const head = Buffer.concat([Buffer.from([1, key.id.length]), Buffer.from(key.id), iv]);
    const cipher = createCipheriv('aes-256-gcm', Buffer.from(key.material, 'base64'), iv).setAAD(binding(input, field));
    return Buffer.concat([head, cipher.update(plain), cipher.final(), cipher.getAuthTag()]).toString('base64');
  };

  const unseal = (input: Json, field = 'EncryptionContext'): { key: StoredKey; plain: Buffer } => {
    const { keyId, iv, sealed, tag } = parseBlob(text(input, 'CiphertextBlob'));
    const wanted = input.KeyId ?? input.SourceKeyId;
    const key = usable(keyId, 'ENCRYPT_DECRYPT');
    if (typeof wanted === 'string' && idOf(wanted) !== keyId)
      throw new AwsError(
        'IncorrectKeyException',
        'The key ID in the request does not identify a CMK that can perform this operation.',
      );
    try {
      const decipher = createDecipheriv('aes-256-gcm', Buffer.from(key.material, 'base64'), iv)
        .setAAD(binding(input, field))
        .setAuthTag(tag);
      return { key, plain: Buffer.concat([decipher.update(sealed), decipher.final()]) };
    } catch {
      throw invalidCiphertext();
    }
  };

  const dataKey = (input: Json): Json & { Plaintext: string } => {
    const key = usable(text(input, 'KeyId'), 'ENCRYPT_DECRYPT');
    const plain = randomBytes(Number(input.NumberOfBytes ?? (input.KeySpec === 'AES_128' ? 16 : 32)));
    return { KeyId: key.arn, Plaintext: plain.toString('base64'), CiphertextBlob: seal(key, { plain, input }) };
  };

  const operations = {
    DescribeKey: (input: Json) => ({ KeyMetadata: metadata(find(text(input, 'KeyId')), account) }),
    GetPublicKey: (input: Json) => publicKeyOf(usable(text(input, 'KeyId'), 'SIGN_VERIFY')),
    Sign: (input: Json) => signRsa(usable(text(input, 'KeyId'), 'SIGN_VERIFY'), input),
    Verify: (input: Json) => verifyRsa(usable(text(input, 'KeyId'), 'SIGN_VERIFY'), input),
    Encrypt: (input: Json) => {
      const key = usable(text(input, 'KeyId'), 'ENCRYPT_DECRYPT');
      const plain = Buffer.from(text(input, 'Plaintext'), 'base64');
      if (plain.length > 4_096) throw new AwsError('ValidationException', 'Plaintext must have at most 4096 bytes');
      return { KeyId: key.arn, CiphertextBlob: seal(key, { plain, input }), EncryptionAlgorithm: 'SYMMETRIC_DEFAULT' };
    },
    Decrypt: (input: Json) => {
      const { key, plain } = unseal(input);
      return { KeyId: key.arn, Plaintext: plain.toString('base64'), EncryptionAlgorithm: 'SYMMETRIC_DEFAULT' };
    },
    ReEncrypt: (input: Json) => {
      const { key: source, plain } = unseal(input, 'SourceEncryptionContext');
      const key = usable(text(input, 'DestinationKeyId'), 'ENCRYPT_DECRYPT');
      return {
        SourceKeyId: source.arn,
        KeyId: key.arn,
        CiphertextBlob: seal(key, { plain, input, field: 'DestinationEncryptionContext' }),
      };
    },
    GenerateDataKey: dataKey,
    GenerateDataKeyWithoutPlaintext: (input: Json) => ({ ...dataKey(input), Plaintext: undefined }),
    DisableKey: (input: Json) => void change(input, 'Disabled', ['Enabled', 'Disabled']),
    EnableKey: (input: Json) => void change(input, 'Enabled', ['Enabled', 'Disabled']),
    ScheduleKeyDeletion: (input: Json) => change(input, 'PendingDeletion', ['Enabled', 'Disabled']),
    CancelKeyDeletion: (input: Json) => change(input, 'Disabled', ['PendingDeletion']),
  };

  const needs = ({ action, input }: Operation): readonly Need[] => {
    if (action === 'ReEncrypt') {
      const source = need('kms:ReEncryptFrom', { resource: arnOf(blobKeyId(input)), input, field: 'SourceEncryptionContext' });
      return [
        source,
        need('kms:ReEncryptTo', {
          resource: arnOf(idOf(text(input, 'DestinationKeyId'))),
          input,
          field: 'DestinationEncryptionContext',
        }),
      ];
    }
    const keyId = action === 'Decrypt' ? blobKeyId(input) : idOf(text(input, 'KeyId'));
    return [need(`kms:${action}`, { resource: arnOf(keyId), input, field: 'EncryptionContext' })];
  };

  const provision = async ({ type, name, arn, properties }: Resource): Promise<void> => {
    if (type === 'AWS::KMS::Alias') {
      const alias = String(properties.AliasName ?? name);
      aliases.set(alias, { name: alias, keyId: idOf(String(properties.TargetKeyId)) });
      return;
    }
    if (!keys.get(name)) keys.set(name, await newKey(name, arn, properties));
  };

  return { ...makeEngine(operations, needs), provision };
};

const need = (
  action: string,
  { resource, input, field }: { readonly resource: string; readonly input: Json; readonly field: string },
): Need => {
  const context = Object.entries((input[field] ?? {}) as Record<string, string>);
  const keys = Object.fromEntries(context.map(([name, value]) => [`kms:EncryptionContext:${name}`, [value]]));
  return { action, resources: [resource], keys: { ...keys, 'kms:EncryptionContextKeys': context.map(([name]) => name) } };
};

const metadata = ({ arn, id, state, usage, spec, createdAt }: StoredKey, account: string): Json => ({
  AWSAccountId: account,
  Arn: arn,
  KeyId: id,
  KeyState: state,
  Enabled: state === 'Enabled',
  KeyUsage: usage,
  KeySpec: spec,
  CustomerMasterKeySpec: spec,
  CreationDate: createdAt / 1_000,
  KeyManager: 'CUSTOMER',
  Origin: 'AWS_KMS',
});

const invalidCiphertext = (): AwsError =>
  new AwsError('InvalidCiphertextException', 'The ciphertext is invalid, or its encryption context differs');

/** The order of the context's entries does not matter. */
const binding = (input: Json, field: string): Buffer =>
  Buffer.from(
    JSON.stringify(Object.entries((input[field] ?? {}) as Record<string, string>).sort(([a], [b]) => (a < b ? -1 : 1))),
  );

interface Blob {
  readonly keyId: string;
  readonly iv: Buffer;
  readonly sealed: Buffer;
  readonly tag: Buffer;
}

/** version 1 | length of the key id | key id | iv 12 | ciphertext | tag 16 */
const parseBlob = (base64: string): Blob => {
  const bytes = Buffer.from(base64, 'base64');
  const start = 2 + (bytes[1] ?? 0);
  if (bytes[0] !== 1 || bytes.length < start + 28) throw invalidCiphertext();
  return {
    keyId: bytes.toString('utf8', 2, start),
    iv: bytes.subarray(start, start + 12),
    sealed: bytes.subarray(start + 12, -16),
    tag: bytes.subarray(-16),
  };
};

const blobKeyId = (input: Json): string => parseBlob(text(input, 'CiphertextBlob')).keyId;
