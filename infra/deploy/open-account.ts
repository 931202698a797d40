/** The account and region of a deployment, with clients for both. */
import { S3Client } from '@aws-sdk/client-s3';
import { GetCallerIdentityCommand, STSClient } from '@aws-sdk/client-sts';
import { cliCredentials } from '../archive/cli-credentials.ts';
import { type CloudFormation, openCloudFormationClient } from './cloudformation-client.ts';

export interface Account {
  readonly account: string;
  readonly region: string;
  /** The ARN of the caller. */
  readonly caller: string;
  readonly client: CloudFormation;
  readonly s3: S3Client;
}

export class NoRegionError extends Error {}

interface AccountOptions {
  readonly profile: string | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly signal: AbortSignal;
}

export const openAccount = async ({ profile, env, signal }: AccountOptions): Promise<Account> => {
  const credentials = cliCredentials(profile);
  const sts = new STSClient({ credentials });
  const region = await sts.config.region().catch((error: Error) => {
    throw new NoRegionError(error.message, { cause: error });
  });
  const { Account: account = '', Arn: caller = '' } = await sts.send(new GetCallerIdentityCommand({}));
  const client = openCloudFormationClient({ region, credentials, env, signal });
  return { account, region, caller, client, s3: new S3Client({ region, credentials }) };
};
