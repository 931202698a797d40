import { jsonCall } from './aws-json.ts';
import { foundKeys } from './found-keys.ts';
import type { Context } from './keys.ts';

/**
 * Opens a wrapped data key from outside of the service, with whatever credentials the caller's environment has: who may
 * decrypt with the KMS key needs none of our functions. The region is the one that the key's own name tells.
 */
export const openWrappedKey = async (
  { keyId, blob }: { readonly keyId: string; readonly blob: Uint8Array },
  context: Context,
  { endpoint }: { readonly endpoint?: string | undefined } = {},
): Promise<Buffer> => {
  const region = /^arn:[\w-]+:kms:([\w-]+):/.exec(keyId)?.[1];
  const asked = { CiphertextBlob: Buffer.from(blob).toString('base64'), KeyId: keyId, EncryptionContext: context };
  const { Plaintext } = await jsonCall<{ Plaintext?: string }>('kms', 'Decrypt', asked, { region, endpoint, keys: foundKeys() });
  if (!Plaintext) throw new Error('KMS returned no data key');
  return Buffer.from(Plaintext, 'base64');
};
