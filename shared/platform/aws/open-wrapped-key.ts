import { DecryptCommand, KMSClient, type KMSClientConfig } from '@aws-sdk/client-kms';
import { callAws } from '../aws-client/call-aws.ts';
import { baseConfig } from '../aws-client/sdk-config.ts';
import type { Context } from './kms.ts';

type Credentials = NonNullable<KMSClientConfig['credentials']>;

/**
 * Unwraps a data key outside of the service, with the caller's own credentials: permission to decrypt with the KMS key is all it
 * needs. The region is that of the key's ARN.
 */
export const openWrappedKey = async (
  { keyId, blob }: { readonly keyId: string; readonly blob: Uint8Array },
  context: Context,
  { credentials, endpoint }: { readonly credentials: Credentials; readonly endpoint?: string | undefined },
): Promise<Buffer> => {
  const region = /^arn:[\w-]+:kms:([\w-]+):/.exec(keyId)?.[1];
  const client = new KMSClient({
    ...baseConfig,
    credentials,
    ...(region !== undefined && { region }),
    ...(endpoint !== undefined && { endpoint }),
  });
  const command = new DecryptCommand({ CiphertextBlob: blob, KeyId: keyId, EncryptionContext: context });
  const { Plaintext } = await callAws((options) => client.send(command, options));
  if (!Plaintext) throw new Error('KMS returned no data key');
  return Buffer.from(Plaintext);
};
