/** The settings that the template has as parameters. The others keep their defaults; the construct has all of them. */
import { plans } from '../../../shared/contract/limits.ts';
import type { ConfigInput } from '../../config.ts';

export interface TemplateParameter {
  readonly setting: keyof ConfigInput;
  readonly group: string;
  readonly label: string;
  /** Stands for the value in the synthesized template: a valid one that occurs nowhere else. */
  readonly placeholder?: string;
  /** May be empty, which changes the structure of the template. */
  readonly isOptional?: boolean;
  /** The values that can be chosen. The first one is the default. */
  readonly values?: readonly string[];
}

export const parameters = {
  IdentityClientId: {
    setting: 'identityClientId',
    group: 'Sign-in',
    label: 'OAuth client id',
    placeholder: 'identity-client-id.parameter.invalid',
  },
  IdentityIssuer: {
    setting: 'identityIssuer',
    group: 'Sign-in',
    label: 'OpenID Connect issuer',
    placeholder: 'https://identity-issuer.parameter.invalid',
  },
  AlarmEmail: {
    setting: 'alarmEmail',
    group: 'E-mail',
    label: 'Recipient of alarms',
    placeholder: 'alarm-email@parameter.invalid',
    isOptional: true,
  },
  MailFrom: {
    setting: 'mailFrom',
    group: 'E-mail',
    label: 'Sender of mail, verified in SES',
    placeholder: 'mail-from@parameter.invalid',
    isOptional: true,
  },
  DomainName: {
    setting: 'domainName',
    group: 'Address',
    label: 'Host name',
    placeholder: 'domain-name.parameter.invalid',
    isOptional: true,
  },
  CertificateArn: {
    setting: 'certificateArn',
    group: 'Address',
    label: 'ARN of its certificate',
    placeholder: 'arn:aws:acm:parameter:certificate-arn',
  },
  Plan: { setting: 'plan', group: 'Size', label: 'Plan', values: plans.toReversed() },
  AccountConcurrency: {
    setting: 'accountConcurrency',
    group: 'Size',
    label: 'Lambda concurrency of the account',
    values: ['1000', '10', '50', '100', '200', '500', '2000', '5000'],
  },
} as const satisfies Readonly<Record<string, TemplateParameter>>;

export type ParameterName = keyof typeof parameters;

/** A domain needs its certificate: both are given, or none. */
export const givenWith: Partial<Record<ParameterName, ParameterName>> = { DomainName: 'CertificateArn' };

/** The deployment is named after the root stack. */
export const deploymentName = { parameter: 'DeploymentName', placeholder: 'deployment-name-parameter' };

/** Where the release was uploaded to. */
export const assetParameters = {
  AssetBucket: {
    label: 'Bucket',
    description: 'The bucket with the files of the release, in the region of the stack: publish.mjs uploads them',
  },
  AssetPrefix: { label: 'Prefix', description: 'Where they begin in the bucket, with a slash at the end' },
};
export const usualAssetPrefix = 'backup-management-service/';
