/** KMS: the keys that sign access tokens and evidence, the key that encrypts secrets at rest, the key that wraps data keys. */
import { createHash, createPublicKey } from 'node:crypto';
import {
  DecryptCommand,
  EncryptCommand,
  GenerateDataKeyCommand,
  GetPublicKeyCommand,
  KMSClient,
  SignCommand,
} from '@aws-sdk/client-kms';
import { logLines } from '../../contract/runtime/alarm-log-lines.ts';
import { callAws, type SendOptions } from '../aws-client/call-aws.ts';
import { sdkConfig } from '../aws-client/sdk-config.ts';
import { env, envList } from '../env.ts';
import { log } from '../observe/log.ts';
import { warm, warmPromise } from '../warm.ts';

const client = warm(() => new KMSClient(sdkConfig));

/** Errors of a key that a retry cannot fix. */
const refusals = ['AccessDeniedException', 'DisabledException', 'KMSInvalidStateException', 'NotFoundException'];

/** Calls KMS for the keys that sign tokens and encrypt secrets. Their callers see only that something failed, so the reason is logged. */
const callOwnKey = async <T>(action: string, send: (options: SendOptions) => Promise<T>): Promise<T> => {
  try {
    return await callAws(send);
  } catch (error) {
    const { name: reason } = error as Error;
    if (refusals.includes(reason)) log.error(logLines.secretsKeyRefused, { reason, action });
    throw error;
  }
};

/** The public half of a signing key, as RFC 7517 writes it. */
export interface PublicJwk {
  readonly kid: string;
  readonly alg: 'RS256';
  readonly use: 'sig';
  readonly kty: 'RSA';
  readonly n: string;
  readonly e: string;
}

/** The keys that verify tokens: the first one signs, the others stay until the tokens they signed expire. Fetched once per container. */
export const publicKeys = warmPromise((): Promise<readonly PublicJwk[]> => Promise.all(envList('TOKEN_KEY_IDS').map(publicKey)));

const publicKey = async (keyId: string): Promise<PublicJwk> => {
  const command = new GetPublicKeyCommand({ KeyId: keyId });
  const { PublicKey } = await callOwnKey('GetPublicKey', (options) => client().send(command, options));
  if (!PublicKey) throw new Error('KMS returned no public key');
  const jwk = createPublicKey({ key: Buffer.from(PublicKey), format: 'der', type: 'spki' }).export({ format: 'jwk' });
  const { n, e } = jwk as { n: string; e: string };
  // RFC 7638: the id of a key is its thumbprint.
  const kid = createHash('sha256')
    .update(JSON.stringify({ e, kty: 'RSA', n }))
    .digest('base64url');
  return { kty: 'RSA', n, e, kid, alg: 'RS256', use: 'sig' };
};

/** The current signing key. Its id is part of the token's header, which is needed before the text to sign is known. */
export const tokenSigner = async (): Promise<{ kid: string; sign: (text: string) => Promise<Buffer> }> => {
  const [key] = await publicKeys();
  const [keyId] = envList('TOKEN_KEY_IDS');
  if (!key || !keyId) throw new Error('no token signing key is configured');
  return { kid: key.kid, sign: (text) => signWith(keyId, text) };
};

/** The keys that verify evidence of restore tests; the first one signs. Never used for tokens, so neither can be taken for the other. */
export const evidenceKeys = (): Promise<readonly PublicJwk[]> => Promise.all(envList('EVIDENCE_KEY_IDS').map(publicKey));

export const evidenceSigner = async (): Promise<{ key: PublicJwk; sign: (text: string) => Promise<Buffer> }> => {
  const [keyId] = envList('EVIDENCE_KEY_IDS');
  if (!keyId) throw new Error('no key for evidence is configured');
  return { key: await publicKey(keyId), sign: (text) => signWith(keyId, text) };
};

const signWith = async (keyId: string, text: string): Promise<Buffer> => {
  const command = new SignCommand({
    KeyId: keyId,
    // The digest, because KMS accepts messages up to 4,096 bytes: evidence is longer, and a token with many organizations comes close.
    Message: createHash('sha256').update(text).digest(),
    MessageType: 'DIGEST',
    SigningAlgorithm: 'RSASSA_PKCS1_V1_5_SHA_256',
  });
  const { Signature } = await callOwnKey('Sign', (options) => client().send(command, options));
  if (!Signature) throw new Error('KMS returned no signature');
  return Buffer.from(Signature);
};

export type Context = Readonly<Record<string, string>>;

/** Encrypts up to 4 KiB with the secrets key. Decryption needs the same context, which is not secret. */
export const sealSecret = async (plain: string, context: Context): Promise<Uint8Array> => {
  const command = new EncryptCommand({
    KeyId: env('SECRETS_KEY_ID'),
    Plaintext: Buffer.from(plain),
    EncryptionContext: context,
  });
  const { CiphertextBlob } = await callOwnKey('Encrypt', (options) => client().send(command, options));
  if (!CiphertextBlob) throw new Error('KMS returned no ciphertext');
  return Buffer.from(CiphertextBlob);
};

/** Decrypts what was encrypted with the secrets key and the same context. */
export const openSecret = async (sealed: Uint8Array, context: Context): Promise<string> => {
  const command = new DecryptCommand({ KeyId: env('SECRETS_KEY_ID'), CiphertextBlob: sealed, EncryptionContext: context });
  const { Plaintext } = await callOwnKey('Decrypt', (options) => client().send(command, options));
  if (!Plaintext) throw new Error('KMS returned no plaintext');
  return Buffer.from(Plaintext).toString();
};

export interface DataKey {
  /** 32 bytes. */
  readonly plain: Buffer;
  /** The key, wrapped: only KMS can unwrap it, with the same context. */
  readonly blob: Buffer;
  /** The ARN of the KMS key that wraps it. */
  readonly keyId: string;
}

/** Generates a secret that wraps the data key of one backup. */
export const makeDataKey = async (context: Context): Promise<DataKey> => {
  const command = new GenerateDataKeyCommand({ KeyId: env('DATA_KEY_ID'), KeySpec: 'AES_256', EncryptionContext: context });
  const { Plaintext, CiphertextBlob, KeyId } = await callAws((options) => client().send(command, options));
  if (!Plaintext || !CiphertextBlob || !KeyId) throw new Error('KMS returned no data key');
  return { plain: Buffer.from(Plaintext), blob: Buffer.from(CiphertextBlob), keyId: KeyId };
};

/** Unwraps a data key. The blob itself names the KMS key that wrapped it; `keyId` is that key as KMS says. */
export const openDataKey = async (
  blob: Uint8Array,
  context: Context,
): Promise<{ readonly plain: Buffer; readonly keyId: string | undefined }> => {
  const command = new DecryptCommand({ CiphertextBlob: blob, EncryptionContext: context });
  const { Plaintext, KeyId } = await callAws((options) => client().send(command, options));
  if (!Plaintext) throw new Error('KMS returned no data key');
  return { plain: Buffer.from(Plaintext), keyId: KeyId };
};
