/** What must exist in the region: services, the certificate. */
import { ACMClient, type CertificateDetail, DescribeCertificateCommand } from '@aws-sdk/client-acm';
import { DynamoDBClient, ListTablesCommand } from '@aws-sdk/client-dynamodb';
import { KMSClient, ListKeysCommand } from '@aws-sdk/client-kms';
import { ListScheduleGroupsCommand, SchedulerClient } from '@aws-sdk/client-scheduler';
import { ListSecretsCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { ListStateMachinesCommand, SFNClient } from '@aws-sdk/client-sfn';
import { ListQueuesCommand, SQSClient } from '@aws-sdk/client-sqs';
import { failureReason, isAbsent, isDenied } from './call-failure.ts';
import { clientOptions, type DeploymentTarget } from './deployment-target.ts';
import { advise, cannotTell, mustDo, ok, type Verdict } from './verdict.ts';

type Probe = (options: ReturnType<typeof clientOptions>) => Promise<unknown>;

/** One call each that lists at most one item. A service that denies it exists. */
const services: Readonly<Record<string, Probe>> = {
  DynamoDB: (options) => new DynamoDBClient(options).send(new ListTablesCommand({ Limit: 1 })),
  KMS: (options) => new KMSClient(options).send(new ListKeysCommand({ Limit: 1 })),
  SQS: (options) => new SQSClient(options).send(new ListQueuesCommand({ MaxResults: 1 })),
  'Step Functions': (options) => new SFNClient(options).send(new ListStateMachinesCommand({ maxResults: 1 })),
  'EventBridge Scheduler': (options) => new SchedulerClient(options).send(new ListScheduleGroupsCommand({ MaxResults: 1 })),
  'Secrets Manager': (options) => new SecretsManagerClient(options).send(new ListSecretsCommand({ MaxResults: 1 })),
};

export const checkServices = async ({ region }: DeploymentTarget): Promise<Verdict> => {
  const failures = await Promise.all(
    Object.entries(services).map(async ([name, probe]) => {
      const error = await probe(clientOptions(region)).then(
        () => undefined,
        (failure: unknown) => failure,
      );
      return error === undefined || isDenied(error) ? [] : [{ name, error }];
    }),
  );
  const failed = failures.flat();
  const absent = failed.filter(({ error }) => isAbsent(error)).map(({ name }) => name);
  if (absent.length > 0) return mustDo(`${region} has no ${absent.join(', no ')}: choose another region`);
  if (failed.length > 0)
    return cannotTell(failed.map(({ name, error }) => `${name} does not answer (${failureReason(error)})`).join('; '));
  return ok(`${region} has ${Object.keys(services).join(', ')}; Lambda on arm64 is not checked`);
};

export const checkCertificate = async ({ region, config }: DeploymentTarget): Promise<Verdict> => {
  const { certificateArn, domainName } = config;
  if (certificateArn === undefined || domainName === undefined)
    return ok('no custom domain; choose one before the first deployment');
  const [, , , of] = certificateArn.split(':');
  if (of !== region)
    return mustDo(
      `the certificate is in ${of}, the API in ${region}: request one for ${domainName} in ${region} and set certificateArn to it`,
    );
  try {
    const { Certificate } = await new ACMClient(clientOptions(region)).send(
      new DescribeCertificateCommand({ CertificateArn: certificateArn }),
    );
    return judgeCertificate(Certificate ?? {}, domainName);
  } catch (error) {
    if ((error as Error).name === 'ResourceNotFoundException') return mustDo(`${certificateArn} does not exist in this account`);
    throw error;
  }
};

const judgeCertificate = (certificate: CertificateDetail, domainName: string): Verdict => {
  const { Status, NotAfter, DomainName = '', SubjectAlternativeNames = [] } = certificate;
  if (Status !== 'ISSUED') return mustDo(`the certificate is ${Status}: complete its validation, then deploy`);
  const names = [...new Set([DomainName, ...SubjectAlternativeNames])];
  const wildcard = domainName.replace(/^[^.]+/, '*');
  if (!names.includes(domainName) && !names.includes(wildcard))
    return mustDo(`the certificate is for ${names.join(', ')}, not for ${domainName}: request another`);
  const days = NotAfter ? Math.floor((NotAfter.getTime() - Date.now()) / 86_400_000) : undefined;
  if (days !== undefined && days < 30 && certificate.Type !== 'AMAZON_ISSUED')
    return advise(`the imported certificate for ${domainName} ends in ${days} days: import a new one in time`);
  return ok(`issued for ${domainName}`);
};
