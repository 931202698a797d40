/** The IAM statements that grants consist of. */
import { Aws, Fn } from 'aws-cdk-lib';
import { PolicyDocument, PolicyStatement, type PolicyStatementProps, Role, type RoleProps } from 'aws-cdk-lib/aws-iam';
import type { Construct } from 'constructs';

/** The only way to allow actions: on given resources, under given conditions. */
export const allow = (actions: string[], resources: readonly string[], conditions?: PolicyStatementProps['conditions']) =>
  new PolicyStatement({ actions, resources: [...resources], ...(conditions && { conditions }) });

/** A role with all its permissions inline. */
export const makeRole = (
  scope: Construct,
  id: string,
  { statements, ...props }: Pick<RoleProps, 'assumedBy' | 'description'> & { readonly statements: readonly PolicyStatement[] },
): Role =>
  new Role(scope, id, {
    ...props,
    inlinePolicies: { permissions: new PolicyDocument({ statements: [...statements], minimize: true }) },
  });

/** Items of these partitions only. ForAllValues holds for an absent key, so the key must be present. */
export const leadingKeysLike = (...patterns: string[]) => ({
  'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': patterns },
  Null: { 'dynamodb:LeadingKeys': 'false' },
});

export const readActions = ['dynamodb:GetItem', 'dynamodb:BatchGetItem', 'dynamodb:Query'];

/** Secrets Manager decrypts with the caller's permission; these functions can use the key for nothing else. */
export const readSecret = (secretArn: string, keyArn: string) => [
  allow(['secretsmanager:GetSecretValue'], [secretArn]),
  allow(['kms:Decrypt'], [keyArn], { StringEquals: { 'kms:EncryptionContext:SecretARN': secretArn } }),
];

/** Decryption with the secrets key, for these purposes only. */
export const decryptFor = (keyArn: string, ...purposes: string[]) =>
  allow(['kms:Decrypt'], [keyArn], { StringEquals: { 'kms:EncryptionContext:purpose': purposes } });

/** Encryption with a stated purpose, so that nothing is encrypted that no function could decrypt. */
export const encryptFor = (keyArn: string, ...purposes: string[]) =>
  allow(['kms:Encrypt'], [keyArn], { StringEquals: { 'kms:EncryptionContext:purpose': purposes } });

/**
 * Customers' roles. In the service's own account only roles of this path, so that no other one, such as the one that deploys, can be
 * named as a destination.
 */
const ownRolePath = 'backup-destination';
export const assumeCustomerRoles = (conditions: PolicyStatementProps['conditions'] = {}) => [
  allow(['sts:AssumeRole'], [`arn:${Aws.PARTITION}:iam::*:role/*`], {
    StringNotEquals: { 'aws:ResourceAccount': Aws.ACCOUNT_ID },
    ...conditions,
  }),
  allow(['sts:AssumeRole'], [`arn:${Aws.PARTITION}:iam::${Aws.ACCOUNT_ID}:role/${ownRolePath}/*`], conditions),
];

export const executionsOf = (workflowArn: string): string =>
  `${Fn.join(':execution:', Fn.split(':stateMachine:', workflowArn))}:*`;

export const schedulesOf = (groupName: string): string =>
  `arn:${Aws.PARTITION}:scheduler:${Aws.REGION}:${Aws.ACCOUNT_ID}:schedule/${groupName}/*`;

export const passRoleTo = (service: string, roleArn: string) =>
  allow(['iam:PassRole'], [roleArn], { StringEquals: { 'iam:PassedToService': service } });
