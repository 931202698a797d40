/** `bms storage update`. */
import type { Command } from 'commander';
import { refuseIfUnchanged } from '../base/cli-failure.ts';
import { defineCommand } from '../base/define-command.ts';
import type { Action } from '../context/context.ts';
import { findRecordId } from '../context/find-resource.ts';
import { hasStorageAccess, readStorageAccess, type StorageAccessOptions } from '../context/read-storage-access.ts';
import { addProtectionOptions, readProtection, type StorageProtectionOptions } from '../context/storage-protection.ts';
import { fieldOf, summaryOf } from '../texts/contract-text.ts';

interface UpdateOptions extends StorageAccessOptions, StorageProtectionOptions {
  readonly name?: string | undefined;
  readonly bucket?: string | undefined;
  readonly prefix?: string | undefined;
  readonly region?: string | undefined;
  readonly endpoint?: string | undefined;
  readonly immutable?: boolean | undefined;
}

export const addStorageChangeCommands = (group: Command, action: Action): void => {
  const update = defineCommand(group, {
    name: 'update <storage>',
    summary: summaryOf('PATCH /storage-destinations/{storageId}'),
    description:
      'Bucket and prefix cannot change while it holds backups. The secret of --access-key-id comes from ' +
      'AWS_SECRET_ACCESS_KEY, the terminal, or the first line of stdin.',
    examples: [
      'bms storage update Archive --name "Old archive"',
      'AWS_SECRET_ACCESS_KEY=… bms storage update Archive --access-key-id AKIA…',
      'bms storage update Archive --role-arn arn:aws:iam::…:role/backups',
      'bms storage update Archive --object-lock governance:30',
    ],
  })
    .option('--name <name>', 'a new name')
    .option('--bucket <bucket>', 'another bucket')
    .option('--prefix <prefix>', 'another folder in the bucket')
    .option('--region <region>', 'region of the bucket')
    .option('--endpoint <url>', fieldOf('PATCH /storage-destinations/{storageId}', 'endpoint'))
    .option('--access-key-id <id>', 'a new access key of the bucket')
    .option('--role-arn <arn>', 'a role that the service assumes instead')
    .option('--key-file <file>', 'the JSON key of a Google service account instead')
    .option('--workload-identity <number>', 'gcs without a key: the project number, or the full name of the pool provider')
    .option(
      '--service-account <email>',
      fieldOf('PATCH /storage-destinations/{storageId}', 'workloadIdentity.serviceAccountEmail'),
    )
    .option('--immutable', fieldOf('PATCH /storage-destinations/{storageId}', 'immutable'))
    .option('--no-immutable', 'the bucket allows deleting objects');
  addProtectionOptions(update).action(
    action(async (context, options: UpdateOptions, [wanted = '']) => {
      const { name, bucket, prefix, region, endpoint, immutable, accessKeyId, roleArn, keyFile, workloadIdentity } = options;
      const changes = { name, bucket, prefix, region, endpoint, immutable, ...readProtection(options) };
      refuseIfUnchanged({ ...changes, accessKeyId, roleArn, keyFile, workloadIdentity });
      const client = await context.client();
      const storageId = await findRecordId(client, 'storage', wanted);
      const access = hasStorageAccess(options) ? await readStorageAccess(context, options) : {};
      const input = { params: { storageId }, body: { ...changes, ...access } };
      const storage = await client.request('PATCH /storage-destinations/{storageId}', input);
      context.output.result(storage, storage.id, `Updated ${storage.name} (${storage.id})`);
      if (roleArn !== undefined && storage.externalId && !context.output.isJson)
        context.output.note(`External id of the role: ${storage.externalId}`);
    }),
  );
};
