/** `node publish.mjs --bucket <name>`: uploads the release beside it to a bucket, and prints the link that launches it. */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { HeadBucketCommand, S3Client } from '@aws-sdk/client-s3';
import { GetCallerIdentityCommand, STSClient } from '@aws-sdk/client-sts';
import { version } from '../../../../shared/contract/version.ts';
import { launchLink, templateAddress } from '../../../deploy/template-address.ts';
import { uploadFiles } from '../../../deploy/upload-files.ts';
import { usualDeploymentName } from '../../../part/usual-deployment-name.ts';
import { usualAssetPrefix } from '../parameters.ts';

const usage = `usage: node publish.mjs --bucket <name> [--owner <account>] [--prefix <prefix>] [--stack-name <name>]

Uploads the release to a bucket in the region of the deployment, and prints the link that opens it in the console of
CloudFormation. Uses the credentials of the AWS CLI (AWS_PROFILE). What the bucket has already is not uploaded again.

  --bucket      an existing bucket, which may be private; the deploying person must be able to read it
  --owner       the account of the bucket (default: that of the credentials); a bucket of another one is refused
  --prefix      where the files begin in the bucket (default: ${usualAssetPrefix})
  --stack-name  the name that the link suggests (default: ${usualDeploymentName})`;

const folder = import.meta.dirname;
const assets = join(folder, 'assets');

const main = async (): Promise<void> => {
  const { values } = parseArgs({
    options: {
      bucket: { type: 'string' },
      owner: { type: 'string' },
      prefix: { type: 'string', default: usualAssetPrefix },
      'stack-name': { type: 'string', default: usualDeploymentName },
      help: { type: 'boolean', short: 'h' },
    },
  });
  if (values.help) return console.log(usage);
  const { bucket, prefix } = values;
  if (bucket === undefined) throw new Error(`--bucket is missing\n${usage}`);
  if (prefix !== '' && !prefix.endsWith('/')) throw new Error('--prefix must end with a slash');
  const owner = values.owner ?? (await ownAccount());
  const region = await regionOf(bucket, owner);
  const template = readFileSync(join(folder, 'template.json'));
  const rootName = `template-${version}-${digestOf(template)}.json`;
  const names = readdirSync(assets);
  const uploaded = await uploadFiles({
    client: new S3Client({ region }),
    bucket,
    owner,
    prefix,
    files: [
      ...names.map((name) => ({ name, read: async () => readChecked(name) })),
      { name: rootName, read: async () => template },
    ],
  });
  const templateUrl = templateAddress({ bucket, region, key: `${prefix}${rootName}` });
  const parameters = { AssetBucket: bucket, AssetPrefix: prefix };
  console.log(
    `${uploaded} of ${names.length + 1} files uploaded to s3://${bucket}/${prefix} in ${region}; the others were there`,
  );
  console.log(`template  ${templateUrl}`);
  console.log(`launch    ${launchLink({ region, templateUrl, stackName: values['stack-name'], parameters })}`);
};

const digestOf = (content: Uint8Array): string => createHash('sha256').update(content).digest('hex');

/** The name of each file contains its digest. */
const readChecked = (name: string): Buffer => {
  const content = readFileSync(join(assets, name));
  if (!name.includes(digestOf(content))) throw new Error(`assets/${name} is damaged: its digest is not that of its name`);
  return content;
};

const anyRegion = process.env.AWS_REGION ?? 'us-east-1';

const ownAccount = async (): Promise<string> =>
  (await new STSClient({ region: anyRegion }).send(new GetCallerIdentityCommand({}))).Account ?? '';

const regionOf = async (bucket: string, owner: string): Promise<string> => {
  const client = new S3Client({ region: anyRegion, followRegionRedirects: true });
  const command = new HeadBucketCommand({ Bucket: bucket, ExpectedBucketOwner: owner });
  const { BucketRegion } = await client.send(command).catch((error: Error) => {
    throw new Error(`the bucket ${bucket} of account ${owner} cannot be used: ${error.name}`, { cause: error });
  });
  return BucketRegion ?? (await client.config.region());
};

await main().catch((error: Error) => {
  console.error(error.message);
  process.exitCode = 1;
});
