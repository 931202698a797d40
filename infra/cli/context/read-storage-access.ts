import type { InputOf } from '../../../shared/client/index.ts';
import { badInput } from '../base/cli-failure.ts';
import { readSecret } from '../output/ask.ts';
import type { Context } from './context.ts';
import { readGoogleKey } from './read-google-key.ts';
import { type WorkloadIdentityOptions, workloadIdentityOf } from './workload-identity.ts';

export interface StorageAccessOptions extends WorkloadIdentityOptions {
  readonly accessKeyId?: string | undefined;
  readonly roleArn?: string | undefined;
  readonly keyFile?: string | undefined;
}

type StorageAccess = Pick<InputOf<'POST /storage-destinations'>['body'], 'credentials' | 'workloadIdentity'>;

/** Whether the options name a way to access the bucket. */
export const hasStorageAccess = ({ roleArn, keyFile, accessKeyId, workloadIdentity }: StorageAccessOptions): boolean =>
  [roleArn, keyFile, accessKeyId, workloadIdentity].some((one) => one !== undefined);

/** The access to a bucket: of the options, else of the environment. */
export const readStorageAccess = async (context: Context, options: StorageAccessOptions): Promise<StorageAccess> => {
  const { roleArn, keyFile, accessKeyId } = options;
  const workloadIdentity = workloadIdentityOf(options);
  const { env } = context.environment;
  if ([roleArn, keyFile, accessKeyId, workloadIdentity].filter((one) => one !== undefined).length > 1)
    throw badInput('--access-key-id, --role-arn, --key-file and --workload-identity exclude each other');
  if (workloadIdentity) return { workloadIdentity };
  if (roleArn !== undefined) return { credentials: { roleArn } };
  if (keyFile !== undefined) return { credentials: readGoogleKey(keyFile) };
  const id = accessKeyId ?? (env.AWS_ACCESS_KEY_ID || undefined);
  if (id === undefined)
    throw badInput(
      'credentials are missing: --access-key-id, --role-arn, --key-file or --workload-identity; or set AWS_ACCESS_KEY_ID',
    );
  const secretAccessKey = env.AWS_SECRET_ACCESS_KEY || (await readSecret(context, 'Secret access key: '));
  return { credentials: { accessKeyId: id, secretAccessKey } };
};
