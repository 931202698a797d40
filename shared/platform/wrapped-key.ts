import { DecryptCommand, KMSClient } from '@aws-sdk/client-kms';
import { callAws } from './aws/call-aws.ts';
import { sdkConfig } from './aws/sdk-config.ts';
import { foundKeys } from './found-keys.ts';
import type { Context } from './keys.ts';

/**
 * Unwraps a data key outside of the service, with the credentials of the caller's environment: permission to decrypt with the KMS
 * key is all it needs. The region is that of the key's ARN.
 */
export const openWrappedKey = async (
  { keyId, blob }: { readonly keyId: string; readonly blob: Uint8Array },
  context: Context,
  { endpoint }: { readonly endpoint?: string | undefined } = {},
): Promise<Buffer> => {
  const region = /^arn:[\w-]+:kms:([\w-]+):/.exec(keyId)?.[1];
  const client = new KMSClient({
    ...sdkConfig,
    credentials: foundKeys(),
    ...(region !== undefined && { region }),
    ...(endpoint !== undefined && { endpoint }),
  });
  const command = new DecryptCommand({ CiphertextBlob: blob, KeyId: keyId, EncryptionContext: context });
  const { Plaintext } = await callAws((options) => client.send(command, options));
  if (!Plaintext) throw new Error('KMS returned no data key');
  return Buffer.from(Plaintext);
};
