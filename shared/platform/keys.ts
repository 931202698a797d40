/** The only door to KMS: the key that signs access tokens, the key that seals secrets at rest, the key that wraps data keys. */
import { createHash, createPublicKey } from 'node:crypto';
import { logLines } from '../contract/log-line.ts';
import { jsonCall } from './aws-json.ts';
import { env, envList } from './env.ts';
import { log } from './log.ts';

/** What KMS answers with; bytes are base64. */
type Told<Name extends string> = { readonly [name in Name]?: string };

const base64 = (bytes: Uint8Array | string): string => Buffer.from(bytes).toString('base64');
const bytesOf = (text: string): Buffer => Buffer.from(text, 'base64');

/** What KMS says of a key that trying again does not open. */
const refusals = ['AccessDeniedException', 'DisabledException', 'KMSInvalidStateException', 'NotFoundException'];

/** Of the keys that sign tokens and seal secrets. Who asks for one only sees that something failed; somebody has to see what. */
const askOwn = async <T extends object>(action: string, asked: object): Promise<T> => {
  try {
    return await jsonCall<T>('kms', action, asked);
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

let published: Promise<readonly PublicJwk[]> | undefined;

/** The keys tokens may be signed with: the first signs, the others are kept while old tokens live. Asked once per container. */
export const publicKeys = (): Promise<readonly PublicJwk[]> => {
  published ??= Promise.all(envList('TOKEN_KEY_IDS').map(publicKey)).catch((error: unknown) => {
    published = undefined;
    throw error;
  });
  return published;
};

const publicKey = async (keyId: string): Promise<PublicJwk> => {
  const { PublicKey } = await askOwn<Told<'PublicKey'>>('GetPublicKey', { KeyId: keyId });
  if (!PublicKey) throw new Error('KMS returned no public key');
  const jwk = createPublicKey({ key: bytesOf(PublicKey), format: 'der', type: 'spki' }).export({ format: 'jwk' });
  const { n, e } = jwk as { n: string; e: string };
  // RFC 7638: the id of a key is a digest of the key, so it cannot name another one.
  const kid = createHash('sha256')
    .update(JSON.stringify({ e, kty: 'RSA', n }))
    .digest('base64url');
  return { kty: 'RSA', n, e, kid, alg: 'RS256', use: 'sig' };
};

/** The key that signs now: its id goes into the token's header before the text to sign is known. */
export const tokenSigner = async (): Promise<{ kid: string; sign: (text: string) => Promise<Buffer> }> => {
  const [key] = await publicKeys();
  const [keyId] = envList('TOKEN_KEY_IDS');
  if (!key || !keyId) throw new Error('no token signing key is configured');
  const sign = async (text: string): Promise<Buffer> => {
    const { Signature } = await askOwn<Told<'Signature'>>('Sign', {
      KeyId: keyId,
      // The digest, because KMS takes messages up to 4,096 bytes only and a token of many organizations comes close.
      Message: createHash('sha256').update(text).digest('base64'),
      MessageType: 'DIGEST',
      SigningAlgorithm: 'RSASSA_PKCS1_V1_5_SHA_256',
    });
    if (!Signature) throw new Error('KMS returned no signature');
    return bytesOf(Signature);
  };
  return { kid: key.kid, sign };
};

export type Context = Readonly<Record<string, string>>;

/** Seals up to 4 KiB under the secrets key; only the same context opens it. The context is not secret. */
export const sealSecret = async (plain: string, context: Context): Promise<Uint8Array> => {
  const asked = { KeyId: env('SECRETS_KEY_ID'), Plaintext: base64(plain), EncryptionContext: context };
  const { CiphertextBlob } = await askOwn<Told<'CiphertextBlob'>>('Encrypt', asked);
  if (!CiphertextBlob) throw new Error('KMS returned no ciphertext');
  return bytesOf(CiphertextBlob);
};

/** What was sealed under the secrets key for this very context. */
export const openSecret = async (sealed: Uint8Array, context: Context): Promise<string> => {
  const asked = { KeyId: env('SECRETS_KEY_ID'), CiphertextBlob: base64(sealed), EncryptionContext: context };
  const { Plaintext } = await askOwn<Told<'Plaintext'>>('Decrypt', asked);
  if (!Plaintext) throw new Error('KMS returned no plaintext');
  return bytesOf(Plaintext).toString();
};

export interface DataKey {
  /** 32 bytes. */
  readonly plain: Buffer;
  /** The same, wrapped: only KMS opens it, and only with the same context. */
  readonly blob: Buffer;
  /** The ARN of the key that wraps it. */
  readonly keyId: string;
}

/** A new key for one backup. */
export const makeDataKey = async (context: Context): Promise<DataKey> => {
  const asked = { KeyId: env('DATA_KEY_ID'), KeySpec: 'AES_256', EncryptionContext: context };
  const told = await jsonCall<Told<'Plaintext' | 'CiphertextBlob' | 'KeyId'>>('kms', 'GenerateDataKey', asked);
  const { Plaintext, CiphertextBlob, KeyId } = told;
  if (!Plaintext || !CiphertextBlob || !KeyId) throw new Error('KMS returned no data key');
  return { plain: bytesOf(Plaintext), blob: bytesOf(CiphertextBlob), keyId: KeyId };
};

/** Opens a wrapped data key; whichever key of ours wrapped it is named in the blob itself. */
export const openDataKey = async (blob: Uint8Array, context: Context): Promise<Buffer> => {
  const asked = { CiphertextBlob: base64(blob), EncryptionContext: context };
  const { Plaintext } = await jsonCall<Told<'Plaintext'>>('kms', 'Decrypt', asked);
  if (!Plaintext) throw new Error('KMS returned no data key');
  return bytesOf(Plaintext);
};

/** Wraps a data key under the present key. */
export const wrapDataKey = async (plain: Uint8Array, context: Context): Promise<Pick<DataKey, 'blob' | 'keyId'>> => {
  const asked = { KeyId: env('DATA_KEY_ID'), Plaintext: base64(plain), EncryptionContext: context };
  const { CiphertextBlob, KeyId } = await jsonCall<Told<'CiphertextBlob' | 'KeyId'>>('kms', 'Encrypt', asked);
  if (!CiphertextBlob || !KeyId) throw new Error('KMS returned no ciphertext');
  return { blob: bytesOf(CiphertextBlob), keyId: KeyId };
};
