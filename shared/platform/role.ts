/** The only door to STS: taking a role that a customer made for us. Nothing is kept: what is taken is for one store. */
import { awsCall } from './aws-call.ts';
import { AwsError, isRefusal } from './aws-error.ts';
import type { Answer } from './exchange.ts';
import { elementOf, readXml, textOf } from './xml.ts';

export interface RoleCredentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken: string;
}

export interface RoleWish {
  readonly roleArn: string;
  /** Left out only to see that the role does not open without. */
  readonly externalId?: string;
  /** Shown in the customer's CloudTrail. */
  readonly sessionName: string;
}

/** The longest a role taken by a role lasts. */
const sessionSeconds = 3_600;

/** Undefined where the role does not let us in. */
export const takeRole = async ({ roleArn, externalId, sessionName }: RoleWish): Promise<RoleCredentials | undefined> => {
  const body = new URLSearchParams({
    ...{ Action: 'AssumeRole', Version: '2011-06-15' },
    ...{ RoleArn: roleArn, RoleSessionName: sessionName, DurationSeconds: String(sessionSeconds) },
    ...(externalId !== undefined && { ExternalId: externalId }),
  }).toString();
  const headers = { 'content-type': 'application/x-www-form-urlencoded' };
  try {
    const answer = await awsCall({ service: 'sts', method: 'POST', path: '/', headers, body }, refusalOf);
    const taken = elementOf(elementOf(readXml(answer.body.toString()), 'AssumeRoleResult'), 'Credentials');
    const [accessKeyId, secretAccessKey] = [textOf(taken, 'AccessKeyId'), textOf(taken, 'SecretAccessKey')];
    const sessionToken = textOf(taken, 'SessionToken');
    if (!accessKeyId || !secretAccessKey || !sessionToken) throw new Error('STS returned no credentials');
    return { accessKeyId, secretAccessKey, sessionToken };
  } catch (error) {
    // The last is for a name that no role can have: all else that is sent is ours.
    if (isRefusal(error, 'AccessDenied', 'AccessDeniedException', 'ValidationError')) return undefined;
    throw error;
  }
};

const refusalOf = ({ status, body }: Answer): AwsError => {
  try {
    const error = elementOf(readXml(body.toString()), 'Error');
    const name = textOf(error, 'Code') ?? `Status${status}`;
    return new AwsError(name, textOf(error, 'Message') ?? name, status);
  } catch {
    return new AwsError(`Status${status}`, 'an answer that is not of STS', status);
  }
};
