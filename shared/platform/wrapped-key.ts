import { DecryptCommand, KMSClient } from '@aws-sdk/client-kms';
import type { Context } from './keys.ts';
import { patience } from './patience.ts';

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
  const client = new KMSClient({ ...patience, ...(region && { region }), ...(endpoint && { endpoint }) });
  try {
    const { Plaintext } = await client.send(
      new DecryptCommand({ CiphertextBlob: blob, KeyId: keyId, EncryptionContext: { ...context } }),
    );
    if (!Plaintext) throw new Error('KMS returned no data key');
    return Buffer.from(Plaintext);
  } finally {
    client.destroy();
  }
};
