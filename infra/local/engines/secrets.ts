/** Secrets Manager: secrets with a current and a previous version. */
import { randomInt, randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { AwsError, type EngineOptions, type Json, makeEngine, type Need, type Operation, text } from '../base/aws-service.ts';
import type { Resource } from '../base/types.ts';
import { openAppendLog } from './shared/append-log.ts';

interface Version {
  readonly id: string;
  readonly value: string;
  readonly createdAt: number;
}

interface SecretRecord {
  readonly name: string;
  readonly arn: string;
  readonly current: Version;
  readonly previous?: Version;
  /** The value in the template, so that a value written later survives a restart. */
  readonly declared?: string;
}

export const openSecrets = ({ dir, region, account }: EngineOptions) => {
  const secrets = openAppendLog<SecretRecord>(join(dir, 'secrets', 'secrets.jsonl'));
  /** Secrets Manager uses a customer-managed key with the caller's permission. */
  const keyArns = new Map<string, string>();

  const lookup = (id: string): SecretRecord | undefined =>
    secrets.get(id) ?? secrets.values().find(({ arn }) => arn === id || arn.replace(/-\w{6}$/, '') === id);

  const find = (input: Json): SecretRecord => {
    const secret = lookup(text(input, 'SecretId'));
    if (!secret) throw new AwsError('ResourceNotFoundException', "Secrets Manager can't find the specified secret.");
    return secret;
  };

  const put = (secret: SecretRecord, value: string): SecretRecord => {
    const next = { ...secret, current: version(value), previous: secret.current };
    secrets.set(secret.name, next);
    return next;
  };

  const operations = {
    GetSecretValue: (input: Json) => {
      const { arn, name, current, previous } = find(input);
      const wanted = input.VersionId ?? (input.VersionStage === 'AWSPREVIOUS' ? previous?.id : current.id);
      const found = [current, previous].find((each) => each !== undefined && each.id === wanted);
      if (!found) throw new AwsError('ResourceNotFoundException', "Secrets Manager can't find the specified secret value.");
      const stage = found === current ? 'AWSCURRENT' : 'AWSPREVIOUS';
      return {
        ARN: arn,
        Name: name,
        SecretString: found.value,
        VersionId: found.id,
        VersionStages: [stage],
        CreatedDate: found.createdAt / 1_000,
      };
    },
    PutSecretValue: (input: Json) => {
      const { arn, name, current } = put(find(input), text(input, 'SecretString'));
      return { ARN: arn, Name: name, VersionId: current.id, VersionStages: ['AWSCURRENT'] };
    },
    DescribeSecret: (input: Json) => {
      const { arn, name, current, previous } = find(input);
      const stages = { [current.id]: ['AWSCURRENT'], ...(previous && { [previous.id]: ['AWSPREVIOUS'] }) };
      return { ARN: arn, Name: name, LastChangedDate: current.createdAt / 1_000, VersionIdsToStages: stages };
    },
  };

  const needs = ({ action, input }: Operation): readonly Need[] => {
    const id = text(input, 'SecretId');
    const arn = lookup(id)?.arn ?? (id.startsWith('arn:') ? id : `arn:aws:secretsmanager:${region}:${account}:secret:${id}`);
    const keyArn = keyArns.get(arn);
    const keys = {
      'kms:EncryptionContext:SecretARN': [arn],
      'kms:EncryptionContextKeys': ['SecretARN', 'SecretVersionId'],
      'kms:ViaService': [`secretsmanager.${region}.amazonaws.com`],
    };
    const opening =
      action === 'DescribeSecret' ? [] : action === 'PutSecretValue' ? ['kms:GenerateDataKey', 'kms:Decrypt'] : ['kms:Decrypt'];
    return [
      { action: `secretsmanager:${action}`, resources: [arn] },
      ...(keyArn === undefined ? [] : opening.map((each) => ({ action: each, resources: [keyArn], keys }))),
    ];
  };

  const provision = ({ name, arn, properties }: Resource): void => {
    const { SecretString: declared, KmsKeyId: keyId } = properties;
    if (typeof keyId === 'string')
      keyArns.set(arn, keyId.startsWith('arn:') ? keyId : `arn:aws:kms:${region}:${account}:key/${keyId}`);
    const known = secrets.get(name);
    if (typeof declared === 'string') {
      if (known?.declared === declared) return;
      const declaredSecret = known ? put(known, declared) : { name, arn, current: version(declared) };
      secrets.set(name, { ...declaredSecret, declared });
    } else if (!known) {
      secrets.set(name, { name, arn, current: version(generate((properties.GenerateSecretString ?? {}) as Json)) });
    }
  };

  return { ...makeEngine(operations, needs), provision };
};

const version = (value: string): Version => ({ id: randomUUID(), value, createdAt: Date.now() });

const alphabet = {
  lower: 'abcdefghijklmnopqrstuvwxyz',
  upper: 'ABCDEFGHIJKLMNOPQRSTUVWXYZ',
  digits: '0123456789',
  punctuation: '!"#$%&\'()*+,-./:;<=>?@[\\]^_`{|}~',
};

/** Generates a random secret according to CloudFormation's GenerateSecretString. */
const generate = (options: Json): string => {
  const excluded = String(options.ExcludeCharacters ?? '');
  const characters = [
    options.ExcludeLowercase ? '' : alphabet.lower,
    options.ExcludeUppercase ? '' : alphabet.upper,
    options.ExcludeNumbers ? '' : alphabet.digits,
    options.ExcludePunctuation ? '' : alphabet.punctuation,
    options.IncludeSpace ? ' ' : '',
  ]
    .join('')
    .split('')
    .filter((character) => !excluded.includes(character));
  const password = Array.from(
    { length: Number(options.PasswordLength ?? 32) },
    () => characters[randomInt(characters.length)],
  ).join('');
  const template = options.SecretStringTemplate;
  if (typeof template !== 'string') return password;
  return JSON.stringify({ ...(JSON.parse(template) as Json), [String(options.GenerateStringKey)]: password });
};
