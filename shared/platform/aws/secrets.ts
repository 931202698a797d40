/** Secrets from Secrets Manager, cached for five minutes: a changed secret takes effect without a deployment. */
import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from 'node:crypto';
import { GetSecretValueCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import type { Variable } from '../../contract/capabilities.ts';
import { callAws } from '../aws-client/call-aws.ts';
import { sdkConfig } from '../aws-client/sdk-config.ts';
import { clock } from '../clock.ts';
import { env } from '../env.ts';
import { warm } from '../warm.ts';

const client = warm(() => new SecretsManagerClient(sdkConfig));

const cache = warm(() => new Map<string, { readonly value: Promise<string>; readonly untilMs: number }>());
const cacheMs = 5 * 60_000;

export const secretValue = (variable: Extract<Variable, 'SERVICE_SECRET_ID' | 'IDENTITY_SECRET_ID'>): Promise<string> => {
  const id = env(variable);
  const cached = cache().get(id);
  const nowMs = clock.now().getTime();
  if (cached && nowMs < cached.untilMs) return cached.value;
  const response = callAws((options) => client().send(new GetSecretValueCommand({ SecretId: id }), options));
  const value = response.then(({ SecretString }) => {
    if (!SecretString) throw new Error(`the secret behind ${variable} is empty`);
    return SecretString;
  });
  // A failed read must not be cached.
  value.catch(() => cache().delete(id));
  cache().set(id, { value, untilMs: nowMs + cacheMs });
  return value;
};

/** A 256-bit key for one purpose. Keys of different purposes are independent. */
const keyFor = async (purpose: string): Promise<Buffer> =>
  Buffer.from(hkdfSync('sha256', await secretValue('SERVICE_SECRET_ID'), 'backup-management-service', purpose, 32));

/** A signature that only this deployment can create. */
export const sign = async (purpose: string, text: string): Promise<Buffer> =>
  createHmac('sha256', await keyFor(purpose))
    .update(text)
    .digest();

const ivBytes = 12;
const tagBytes = 16;

/** Encrypts text so that only this deployment, with the same purpose and binding, can decrypt it. */
export const seal = async (purpose: string, binding: string, text: string): Promise<string> => {
  const iv = randomBytes(ivBytes);
  const cipher = createCipheriv('aes-256-gcm', await keyFor(purpose), iv, { authTagLength: tagBytes }).setAAD(
    Buffer.from(binding),
  );
  return Buffer.concat([iv, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()]).toString('base64url');
};

/** The decrypted text, or undefined if it was not encrypted by this deployment with this purpose and binding. */
export const unseal = async (purpose: string, binding: string, sealed: string): Promise<string | undefined> => {
  const bytes = Buffer.from(sealed, 'base64url');
  // The second condition rejects other encodings of the same bytes.
  if (bytes.length < ivBytes + tagBytes || bytes.toString('base64url') !== sealed) return undefined;
  const decipher = createDecipheriv('aes-256-gcm', await keyFor(purpose), bytes.subarray(0, ivBytes), { authTagLength: tagBytes })
    .setAAD(Buffer.from(binding))
    .setAuthTag(bytes.subarray(-tagBytes));
  try {
    return Buffer.concat([decipher.update(bytes.subarray(ivBytes, -tagBytes)), decipher.final()]).toString('utf8');
  } catch {
    return undefined;
  }
};
