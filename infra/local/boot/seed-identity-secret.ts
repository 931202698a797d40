/** Stores the client secret of the local identity provider in the secret that a deployer would fill. */
import { GetSecretValueCommand, PutSecretValueCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { rootAccessKeyId } from '../base/types.ts';
import type { FunctionSpec } from '../lambda/function-spec.ts';

export const seedIdentitySecret = async (
  functions: readonly FunctionSpec[],
  { clientSecret, endpoint, region }: { readonly clientSecret: string; readonly endpoint: string; readonly region: string },
): Promise<void> => {
  // A function that calls the provider has the secret's id in its environment.
  const SecretId = functions.map(({ environment }) => environment.IDENTITY_SECRET_ID).find((id) => id !== undefined);
  if (!SecretId) return;
  const credentials = { accessKeyId: rootAccessKeyId, secretAccessKey: 'local' };
  const secrets = new SecretsManagerClient({ endpoint, region, credentials });
  try {
    const known = await secrets.send(new GetSecretValueCommand({ SecretId })).catch(() => undefined);
    if (known?.SecretString === clientSecret) return;
    await secrets.send(new PutSecretValueCommand({ SecretId, SecretString: clientSecret }));
  } finally {
    secrets.destroy();
  }
};
