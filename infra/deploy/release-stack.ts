/** The released template in an account: uploaded, compared, deployed, removed. */
import { createHash, randomUUID } from 'node:crypto';
import { CreateBucketCommand, HeadBucketCommand, PutPublicAccessBlockCommand, type S3Client } from '@aws-sdk/client-s3';
import type { ReleasedSchema } from '../../shared/contract/schema-refusal.ts';
import { type CloudFormation, CloudFormationError, listAt, textAt } from './cloudformation-client.ts';
import { collectChanges, type ResourceChange } from './collect-changes.ts';
import { type Release, ReleaseError } from './open-release.ts';
import { templateAddress } from './template-address.ts';
import { uploadFiles } from './upload-files.ts';

export type ParameterValues = Readonly<Record<string, string>>;

export interface DeployedStack {
  readonly id: string;
  readonly status: string;
  readonly parameters: ParameterValues;
  readonly isProtected: boolean;
}

const templatePath = 'template/template.json';
const assetFolder = 'template/assets/';

/** The bucket of releases in an account and region, unless another one is chosen. */
export const usualBucket = (account: string, region: string): string => `bms-release-${account}-${region}`;

export const findStack = async (client: CloudFormation, name: string): Promise<DeployedStack | undefined> => {
  try {
    const [stack] = listAt(await client.call('DescribeStacks', { StackName: name }), 'Stacks');
    if (!stack) return undefined;
    const parameters = listAt(stack, 'Parameters').map((each) => [textAt(each, 'ParameterKey'), textAt(each, 'ParameterValue')]);
    return {
      id: textAt(stack, 'StackId'),
      status: textAt(stack, 'StackStatus'),
      parameters: Object.fromEntries(parameters),
      isProtected: textAt(stack, 'EnableTerminationProtection') === 'true',
    };
  } catch (error) {
    if (error instanceof CloudFormationError && /does not exist/.test(error.message)) return undefined;
    throw error;
  }
};

interface ReleasedParameter {
  readonly Description: string;
  readonly Default?: string;
  readonly AllowedValues?: readonly string[];
}

interface ReleasedTemplate {
  readonly Parameters: Readonly<Record<string, ReleasedParameter>>;
  readonly Metadata: { readonly BackupManagementService?: { readonly Release: string; readonly SchemaVersion: number } };
}

const releasedTemplate = async (release: Release): Promise<ReleasedTemplate> =>
  JSON.parse((await release.read(templatePath)).toString('utf8')) as ReleasedTemplate;

/** The parameters of the template, with their texts and defaults. */
export const releasedParameters = async (release: Release): Promise<ReleasedTemplate['Parameters']> =>
  (await releasedTemplate(release)).Parameters;

/** The version of the release and of its items in the table. */
export const releasedSchema = async (release: Release): Promise<ReleasedSchema> => {
  const { BackupManagementService: stated } = (await releasedTemplate(release)).Metadata;
  if (!stated) throw new ReleaseError(`${templatePath} names no release in its metadata`);
  return { release: stated.Release, version: stated.SchemaVersion };
};

interface WantedBucket {
  readonly bucket: string;
  /** The account that owns it: anyone can have made one of a name that can be guessed. */
  readonly owner: string;
  readonly region: string;
}

/** Creates the bucket if it is missing: private, in the region of the deployment. Returns whether it did. */
export const ensureBucket = async (client: S3Client, { bucket, owner, region }: WantedBucket): Promise<boolean> => {
  const owned = { Bucket: bucket, ExpectedBucketOwner: owner };
  try {
    await client.send(new HeadBucketCommand(owned));
    return false;
  } catch (error) {
    const status = (error as { readonly $metadata?: { readonly httpStatusCode?: number } }).$metadata?.httpStatusCode;
    if (status === 403)
      throw new ReleaseError(
        `the bucket ${bucket} is not one of account ${owner}, or must not be read; choose another one with --bucket`,
        {
          cause: error,
        },
      );
    if (status !== 404) throw error;
    await client.send(
      new CreateBucketCommand({
        Bucket: bucket,
        ...(region !== 'us-east-1' && { CreateBucketConfiguration: { LocationConstraint: region as never } }),
      }),
    );
    const blocked = { BlockPublicAcls: true, BlockPublicPolicy: true, IgnorePublicAcls: true, RestrictPublicBuckets: true };
    await client.send(new PutPublicAccessBlockCommand({ ...owned, PublicAccessBlockConfiguration: blocked }));
    return true;
  }
};

interface Publication extends WantedBucket {
  readonly release: Release;
  readonly client: S3Client;
  readonly prefix: string;
  readonly onFile?: (done: number, of: number) => void;
}

/** Uploads what the bucket lacks. Returns the address of the template. */
export const publishRelease = async ({
  release,
  client,
  bucket,
  owner,
  prefix,
  region,
  onFile,
}: Publication): Promise<string> => {
  const template = await release.read(templatePath);
  const digest = createHash('sha256').update(template).digest('hex');
  const rootName = `template-${digest}.json`;
  const files = release.paths
    .filter((path) => path.startsWith(assetFolder))
    .map((path) => ({ name: path.slice(assetFolder.length), read: () => release.read(path) }));
  await uploadFiles({
    client,
    bucket,
    owner,
    prefix,
    files: [...files, { name: rootName, read: async () => template }],
    ...(onFile && { onFile }),
  });
  return templateAddress({ bucket, region, key: `${prefix}${rootName}` });
};

export interface PlannedDeployment {
  readonly stackId: string;
  readonly changeSetId: string;
  /** Undefined: nothing would change. */
  readonly changes: readonly ResourceChange[] | undefined;
}

interface Plan {
  readonly name: string;
  readonly templateUrl: string;
  readonly parameters: ParameterValues;
  readonly isNew: boolean;
  readonly signal: AbortSignal;
}

/** Computes what a deployment would change. Nothing changes before `ExecuteChangeSet`. */
export const planDeployment = async (
  client: CloudFormation,
  { name, templateUrl, parameters, isNew, signal }: Plan,
): Promise<PlannedDeployment> => {
  const created = await client.call('CreateChangeSet', {
    StackName: name,
    ChangeSetName: `bms-${randomUUID()}`,
    ChangeSetType: isNew ? 'CREATE' : 'UPDATE',
    TemplateURL: templateUrl,
    Capabilities: ['CAPABILITY_NAMED_IAM', 'CAPABILITY_AUTO_EXPAND'],
    IncludeNestedStacks: true,
    Parameters: Object.entries(parameters).map(([ParameterKey, ParameterValue]) => ({ ParameterKey, ParameterValue })),
  });
  const changeSetId = textAt(created, 'Id');
  const changes = await collectChanges(client, changeSetId, signal);
  return { stackId: textAt(created, 'StackId'), changeSetId, changes };
};

/** Forgets a plan. A stack that exists only for it is deleted, too. */
export const discardPlan = async (
  client: CloudFormation,
  { changeSetId, stackId }: PlannedDeployment,
  isNew: boolean,
): Promise<void> => {
  await client.call('DeleteChangeSet', { ChangeSetName: changeSetId });
  if (isNew) await client.call('DeleteStack', { StackName: stackId });
};
