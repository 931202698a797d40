/** Where the services of AWS answer. */

/** Their names in addresses and signatures, and in the variable that names another address. */
const services = {
  dynamodb: { variable: 'AWS_ENDPOINT_URL_DYNAMODB' },
  kms: { variable: 'AWS_ENDPOINT_URL_KMS' },
  scheduler: { variable: 'AWS_ENDPOINT_URL_SCHEDULER' },
  secretsmanager: { variable: 'AWS_ENDPOINT_URL_SECRETS_MANAGER' },
  ses: { variable: 'AWS_ENDPOINT_URL_SESV2', host: 'email' },
  sqs: { variable: 'AWS_ENDPOINT_URL_SQS' },
  states: { variable: 'AWS_ENDPOINT_URL_SFN' },
  sts: { variable: 'AWS_ENDPOINT_URL_STS' },
} as const satisfies Readonly<Record<string, { readonly variable: string; readonly host?: string }>>;

export type AwsService = keyof typeof services;

/** Lambda names it. */
export const ownRegion = (): string => {
  const region = process.env.AWS_REGION ?? process.env.AWS_DEFAULT_REGION;
  if (!region) throw new Error('AWS_REGION is not set');
  return region;
};

/** The service's address in that region, unless the environment names another. */
export const endpointOf = (service: AwsService, region: string): URL => {
  const { variable, ...rest } = services[service];
  const host = 'host' in rest ? rest.host : service;
  return new URL(process.env[variable] || process.env.AWS_ENDPOINT_URL || `https://${awsHost(host, region)}`);
};

/** Regions apart from all others have names of their own; the first that fits counts. */
const partitions = [
  ['cn-', 'amazonaws.com.cn'],
  ['eusc-', 'amazonaws.eu'],
  ['us-isob-', 'sc2s.sgov.gov'],
  ['us-isof-', 'csp.hci.ic.gov'],
  ['eu-isoe-', 'cloud.adc-e.uk'],
  ['us-iso-', 'c2s.ic.gov'],
] as const;

export const awsHost = (host: string, region: string): string =>
  `${host}.${region}.${partitions.find(([prefix]) => region.startsWith(prefix))?.[1] ?? 'amazonaws.com'}`;
