/** The statements that grants are made of, and the laws each keeps. */
import { Aws, Fn } from 'aws-cdk-lib';
import { PolicyStatement, type PolicyStatementProps } from 'aws-cdk-lib/aws-iam';

/** The one way to allow anything: these actions on these resources, under these conditions. */
export const allow = (actions: string[], resources: readonly string[], conditions?: PolicyStatementProps['conditions']) =>
  new PolicyStatement({ actions, resources: [...resources], ...(conditions && { conditions }) });

/** Only items of these partitions. "All values" of an absent key is true of anything, so the key must be there. */
export const leadingKeysLike = (...patterns: string[]) => ({
  'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': patterns },
  Null: { 'dynamodb:LeadingKeys': 'false' },
});

/** Every way to read items. */
export const reading = ['dynamodb:GetItem', 'dynamodb:BatchGetItem', 'dynamodb:Query'];

/** Secrets Manager decrypts with the caller's permission; the key opens nothing else for these functions. */
export const readSecret = (secretArn: string, keyArn: string) => [
  allow(['secretsmanager:GetSecretValue'], [secretArn]),
  allow(['kms:Decrypt'], [keyArn], { StringEquals: { 'kms:EncryptionContext:SecretARN': secretArn } }),
];

/** Opening what the secrets key sealed, for these purposes only. */
export const openSealed = (keyArn: string, ...purposes: string[]) =>
  allow(['kms:Decrypt'], [keyArn], { StringEquals: { 'kms:EncryptionContext:purpose': purposes } });

/** Sealing says what for, so that nothing is sealed that no function could open. */
export const sealFor = (keyArn: string, ...purposes: string[]) =>
  allow(['kms:Encrypt'], [keyArn], { StringEquals: { 'kms:EncryptionContext:purpose': purposes } });

/** Customers' roles are in their accounts: a role of ours that trusts our account, as the one that deploys does, is none of them. */
export const takeRoles = (conditions: PolicyStatementProps['conditions'] = {}) =>
  allow(['sts:AssumeRole'], [`arn:${Aws.PARTITION}:iam::*:role/*`], {
    StringNotEquals: { 'aws:ResourceAccount': Aws.ACCOUNT_ID },
    ...conditions,
  });

/** An execution's ARN is its workflow's with another word and a name. */
export const executionsOf = (workflowArn: string): string =>
  `${Fn.join(':execution:', Fn.split(':stateMachine:', workflowArn))}:*`;

/** Every schedule of a group; its own name is that of what it is for. */
export const schedulesOf = (groupName: string): string =>
  `arn:${Aws.PARTITION}:scheduler:${Aws.REGION}:${Aws.ACCOUNT_ID}:schedule/${groupName}/*`;

/** Handing a role of ours to one service of AWS, and to no other. */
export const passTo = (service: string, roleArn: string) =>
  allow(['iam:PassRole'], [roleArn], { StringEquals: { 'iam:PassedToService': service } });
