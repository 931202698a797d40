/** The only door to STS: taking a role that a customer made for us. Nothing is kept: what is taken is for one store. */
import { AssumeRoleCommand, STSClient } from '@aws-sdk/client-sts';
import { patience } from './patience.ts';

export interface RoleCredentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken: string;
  readonly expiration?: Date;
}

export interface RoleWish {
  readonly roleArn: string;
  /** Left out only to see that the role does not open without. */
  readonly externalId?: string;
  /** Shown in the customer's CloudTrail. */
  readonly sessionName: string;
}

let opened: STSClient | undefined;

/** The longest a role taken by a role lasts. */
const sessionSeconds = 3_600;

/** Undefined where the role does not let us in. */
export const takeRole = async ({ roleArn, externalId, sessionName }: RoleWish): Promise<RoleCredentials | undefined> => {
  opened ??= new STSClient(patience);
  const command = new AssumeRoleCommand({
    RoleArn: roleArn,
    RoleSessionName: sessionName,
    DurationSeconds: sessionSeconds,
    ...(externalId !== undefined && { ExternalId: externalId }),
  });
  try {
    const { Credentials } = await opened.send(command);
    const { AccessKeyId, SecretAccessKey, SessionToken, Expiration } = Credentials ?? {};
    if (!AccessKeyId || !SecretAccessKey || !SessionToken) throw new Error('STS returned no credentials');
    return {
      accessKeyId: AccessKeyId,
      secretAccessKey: SecretAccessKey,
      sessionToken: SessionToken,
      ...(Expiration && { expiration: Expiration }),
    };
  } catch (error) {
    const { name } = error as Error;
    if (name === 'AccessDenied' || name === 'AccessDeniedException') return undefined;
    throw error;
  }
};
