/** A key on disk, readable by its owner only. */
import { generateKeyPair, randomBytes } from 'node:crypto';
import { promisify } from 'node:util';
import type { Json } from '../../base/aws-service.ts';

export interface StoredKey {
  readonly id: string;
  readonly arn: string;
  readonly spec: string;
  readonly usage: 'SIGN_VERIFY' | 'ENCRYPT_DECRYPT';
  readonly state: 'Enabled' | 'Disabled' | 'PendingDeletion';
  readonly createdAt: number;
  /** 256 bits as base64, or a private key as PEM. */
  readonly material: string;
}

const keyPair = promisify(generateKeyPair);

export const newKey = async (id: string, arn: string, properties: Json): Promise<StoredKey> => {
  const spec = String(properties.KeySpec ?? 'SYMMETRIC_DEFAULT');
  const usage = properties.KeyUsage === 'SIGN_VERIFY' ? 'SIGN_VERIFY' : 'ENCRYPT_DECRYPT';
  return { id, arn, spec, usage, state: 'Enabled', createdAt: Date.now(), material: await material(spec) };
};

const material = async (spec: string): Promise<string> => {
  if (spec === 'SYMMETRIC_DEFAULT') return randomBytes(32).toString('base64');
  const bits = /^RSA_(2048|3072|4096)$/.exec(spec)?.[1];
  if (!bits) throw new Error(`the local KMS does not support the key spec ${spec}`);
  const { privateKey } = await keyPair('rsa', { modulusLength: Number(bits) });
  return privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
};
