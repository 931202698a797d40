/** Assumes a role of a customer's account with STS. Nothing is cached: the credentials are for one store. */
import { AssumeRoleCommand, STSClient } from '@aws-sdk/client-sts';
import { callAws } from '../aws-client/call-aws.ts';
import { isAwsError } from '../aws-client/is-aws-error.ts';
import { sdkConfig } from '../aws-client/sdk-config.ts';
import { warm } from '../warm.ts';

const client = warm(() => new STSClient(sdkConfig));

interface RoleCredentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken: string;
}

interface AssumeRoleInput {
  readonly roleArn: string;
  /** Omitted only to check that the role cannot be assumed without it. */
  readonly externalId?: string;
  /** Shown in the customer's CloudTrail. */
  readonly sessionName: string;
}

/** The longest session AWS allows when a role assumes a role. */
const sessionSeconds = 3_600;

/** Undefined if the role does not trust this service. */
export const assumeRole = async ({ roleArn, externalId, sessionName }: AssumeRoleInput): Promise<RoleCredentials | undefined> => {
  const command = new AssumeRoleCommand({
    RoleArn: roleArn,
    RoleSessionName: sessionName,
    DurationSeconds: sessionSeconds,
    ...(externalId !== undefined && { ExternalId: externalId }),
  });
  try {
    const { Credentials: found } = await callAws((options) => client().send(command, options));
    if (!found?.AccessKeyId || !found.SecretAccessKey || !found.SessionToken) throw new Error('STS returned no credentials');
    return { accessKeyId: found.AccessKeyId, secretAccessKey: found.SecretAccessKey, sessionToken: found.SessionToken };
  } catch (error) {
    // ValidationError: the ARN is malformed. Everything else in the request is ours.
    if (isAwsError(error, 'AccessDenied', 'AccessDeniedException', 'ValidationError')) return undefined;
    throw error;
  }
};
