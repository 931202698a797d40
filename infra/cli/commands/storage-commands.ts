/** `bms storage`: the customer's buckets. */

import type { Command } from 'commander';
import { ApiFailure, type Client, type DataOf } from '../../../shared/client/index.ts';
import { formatBytes } from '../../../shared/contract/format-bytes.ts';
import { escapeOutput } from '../../archive/escape-output.ts';
import { type ChoiceOf, storageTypes } from '../base/choices.ts';
import { badInput } from '../base/cli-failure.ts';
import { defineCommand, defineGroup } from '../base/define-command.ts';
import { choiceOption } from '../base/parse-values.ts';
import type { Action, Context } from '../context/context.ts';
import { findRecord, type Storage } from '../context/find-resource.ts';
import { readStorageAccess, type StorageAccessOptions } from '../context/read-storage-access.ts';
import { resourceCommands } from '../context/resource-commands.ts';
import { addProtectionOptions, readProtection, type StorageProtectionOptions } from '../context/storage-protection.ts';
import { printWorkloadIdentitySetup } from '../context/workload-identity.ts';
import { formatCount, formatCounted, formatDuration, formatTime } from '../output/format.ts';
import type { Detail } from '../output/output.ts';
import { statusStyle } from '../output/status-style.ts';
import { fieldOf, summaryOf } from '../texts/contract-text.ts';
import { addStorageChangeCommands } from './storage-change-commands.ts';

interface CreateOptions extends StorageAccessOptions, StorageProtectionOptions {
  readonly type: ChoiceOf<typeof storageTypes>;
  readonly bucket: string;
  readonly prefix?: string | undefined;
  readonly region?: string | undefined;
  readonly endpoint?: string | undefined;
  readonly immutable?: boolean | undefined;
  readonly googleProject?: string | undefined;
}

export const addStorageCommands = (program: Command, action: Action): void => {
  const group = defineGroup(program, {
    name: 'storage',
    summary: 'List, add, test, change and delete storage destinations',
    examples: ['bms storage ls', 'bms storage create Archive --type s3 --bucket my-backups', 'bms storage test Archive'],
  });

  const { addList, addShow, addRemove } = resourceCommands({ name: 'storage', sample: 'Archive', group, action });
  addList({
    columns: [
      { title: 'STORAGE', value: ({ id }) => id },
      { title: 'NAME', value: ({ name }) => name, flexible: true },
      { title: 'TYPE', value: ({ type }) => type, optional: 1 },
      {
        title: 'BUCKET',
        value: ({ bucket, prefix }) => (prefix ? `${bucket}/${prefix}` : bucket),
        flexible: true,
        optional: 2,
      },
      { title: 'STATUS', value: ({ status }) => status, style: ({ status }) => statusStyle(status) },
    ],
    empty: 'No storage destinations yet: bms storage create <name> --type s3 --bucket <bucket>',
  });
  addShow(storageDetails, { extend: readUsage });

  defineCommand(group, {
    name: 'test <storage>',
    summary: summaryOf('POST /storage-destinations/{storageId}/test'),
    examples: ['bms storage test Archive'],
  }).action(
    action(async ({ client: open, output }, _, [wanted = '']) => {
      const client = await open();
      const { id: storageId, name } = await findRecord(client, 'storage', wanted);
      const result = await client.request('POST /storage-destinations/{storageId}/test', { params: { storageId } });
      if (!output.isJson && !output.isQuiet)
        for (const check of result.checks)
          output.line(escapeOutput(`${check.ok ? 'ok    ' : 'failed'}  ${check.name}${check.error ? `: ${check.error}` : ''}`));
      for (const warning of result.warnings) output.warn(warning);
      output.result(result, storageId, `${name} works; tested in ${formatDuration(result.duration)}`);
    }),
  );

  const create = defineCommand(group, {
    name: 'create <name>',
    aliases: ['add'],
    summary: summaryOf('POST /storage-destinations'),
    description:
      'The access key comes from --access-key-id or AWS_ACCESS_KEY_ID, its secret from ' +
      'AWS_SECRET_ACCESS_KEY, the terminal, or the first line of stdin. --workload-identity alone, with ' +
      '--google-project, prints the three gcloud commands that allow access to a gcs bucket without a key.',
    examples: [
      'bms storage create Archive --type s3 --bucket my-backups --region eu-central-1 --role-arn arn:aws:iam::…:role/backups',
      'AWS_ACCESS_KEY_ID=… AWS_SECRET_ACCESS_KEY=… bms storage create Archive --type s3 --bucket my-backups',
      'bms storage create Archive --type gcs --bucket my-backups --workload-identity --google-project my-project',
      'bms storage create Archive --type gcs --bucket my-backups --workload-identity 123456789012',
      'bms storage create Archive --type gcs --bucket my-backups --key-file key.json',
      'bms storage create Vault --type s3 --bucket my-vault --object-lock compliance:30 --role-arn arn:aws:iam::…:role/backups',
    ],
  })
    .addOption(choiceOption('--type <type>', 's3 includes compatible stores', storageTypes).makeOptionMandatory())
    .requiredOption('--bucket <bucket>', 'the name of the bucket')
    .option('--prefix <prefix>', 'a folder in the bucket')
    .option('--region <region>', 'region of the bucket')
    .option('--endpoint <url>', fieldOf('POST /storage-destinations', 'endpoint'))
    .option('--access-key-id <id>', 'access key of the bucket (AWS_ACCESS_KEY_ID)')
    .option('--role-arn <arn>', 'a role that the service assumes instead')
    .option('--key-file <file>', 'the JSON key of a Google service account instead')
    .option('--workload-identity [number]', 'gcs without a key: the project number, or the full name of the pool provider')
    .option('--service-account <email>', fieldOf('POST /storage-destinations', 'workloadIdentity.serviceAccountEmail'))
    .option('--google-project <id>', 'of the printed commands: the Google Cloud project that gets the pool')
    .option(
      '--role <role>',
      'of the printed commands (default: roles/storage.objectUser; roles/storage.objectAdmin with --object-lock)',
    )
    .option('--immutable', fieldOf('POST /storage-destinations', 'immutable'));
  addProtectionOptions(create).action(
    action(async (context, options: CreateOptions, [name = '']) => {
      const { type, bucket, prefix, region, endpoint, immutable } = options;
      if (options.workloadIdentity === true) return printSetup(context, options, name);
      const access = await readStorageAccess(context, options);
      const body = { name, type, bucket, prefix, region, endpoint, immutable, ...readProtection(options), ...access };
      const storage = await (await context.client()).request('POST /storage-destinations', { body });
      context.output.result(storage, storage.id, `Added ${storage.name} (${storage.id})`);
      if (storage.externalId && !context.output.isJson) context.output.note(`External id of the role: ${storage.externalId}`);
    }),
  );
  addStorageChangeCommands(group, action);
  addRemove();
};

const printSetup = async (context: Context, options: CreateOptions, name: string): Promise<void> => {
  const { type, bucket, googleProject: sourceProjectId } = options;
  if (type !== 'gcs') throw badInput('--workload-identity is for --type gcs; a role of AWS needs no key either: --role-arn');
  if (sourceProjectId === undefined)
    throw badInput('--workload-identity needs the project number, or --google-project to print the commands');
  const { prefix, objectLock } = options;
  const next = [
    `bms storage create "${name}" --type gcs --bucket ${bucket}`,
    ...(prefix === undefined ? [] : [`--prefix "${prefix}"`]),
    ...(objectLock ? [`--object-lock ${objectLock.mode}:${objectLock.days}`] : []),
  ].join(' ');
  // Setting locks needs the stronger role.
  const role = options.role ?? (objectLock ? 'roles/storage.objectAdmin' : undefined);
  await printWorkloadIdentitySetup(
    { sourceProjectId, bucket },
    { ...options, role },
    {
      client: await context.client(),
      output: context.output,
      next,
    },
  );
};

type Usage = DataOf<'GET /storage-destinations/{storageId}/usage'>;

/** Null for an API key that is limited to projects: it may not see what others store. */
const readUsage = async (client: Client, storageId: string): Promise<{ readonly usage: Usage | null }> => {
  try {
    return { usage: await client.request('GET /storage-destinations/{storageId}/usage', { params: { storageId } }) };
  } catch (error) {
    if (error instanceof ApiFailure && error.status === 403) return { usage: null };
    throw error;
  }
};

const storageDetails = (storage: Storage & { readonly usage: Usage | null }): readonly Detail[] => [
  ['Storage', storage.id],
  ['Name', storage.name],
  ['Type', storage.type],
  ['Bucket', storage.prefix ? `${storage.bucket}/${storage.prefix}` : storage.bucket],
  ['Region', storage.region],
  ['Endpoint', storage.endpoint],
  ['Status', storage.status, statusStyle(storage.status)],
  ['Error', storage.lastError?.message, 'red'],
  ['External id', storage.externalId],
  ['Workload identity', storage.workloadIdentity?.audience],
  ['Acts as', storage.workloadIdentity?.serviceAccountEmail],
  ['Immutable', storage.immutable ? 'yes' : null],
  ['Object Lock', storage.objectLock && `${storage.objectLock.mode}, ${storage.objectLock.days} days`],
  ['Encryption', storage.sse ?? 'the default of the bucket'],
  ['Tested', formatTime(storage.lastTestedAt) ?? 'never'],
  ...(storage.usage ? usageDetails(storage.usage) : []),
];

const capturedWords = ({ objects, bytes }: NonNullable<Usage['captured']>): string | null =>
  objects === 0 ? null : `${formatBytes(bytes)} of it, in ${formatCounted(objects, 'object')}`;

const usageDetails = ({ projects, schedules, monthlyCost, ...usage }: Usage): readonly Detail[] => {
  const nameOf = (projectId: string): string => projects.find(({ id }) => id === projectId)?.name ?? projectId;
  return [
    ['Stored', `${formatBytes(usage.storedBytes)} in ${formatCounted(usage.backups, 'backup')}, by their records`],
    ['Captured changes', usage.captured ? capturedWords(usage.captured) : 'too many to count; not included'],
    ['Objects', usage.objects === null ? 'not all are counted' : formatCount(usage.objects)],
    ['Locked', usage.lockedUntil && `${formatCounted(usage.lockedBackups, 'backup')}, until ${formatTime(usage.lockedUntil)}`],
    [
      'Monthly cost',
      monthlyCost
        ? `$${monthlyCost.estimatedUsd.toFixed(2)} (${monthlyCost.price}, list price of ${monthlyCost.asOf})`
        : 'no list price is known',
    ],
    ['Default', usage.isDefault ? 'of the organization' : null],
    ...projects.map(
      ({ id, name, uses, backups, storedBytes }, n): Detail => [
        n === 0 ? 'Projects' : '',
        `${name ?? id}: ${formatBytes(storedBytes)} in ${formatCounted(backups, 'backup')} (${uses.join(', ')})`,
      ],
    ),
    ...schedules.map(
      ({ name, projectId, enabled }, n): Detail => [
        n === 0 ? 'Schedules' : '',
        `${name}, of ${nameOf(projectId)}${enabled ? '' : ' (off)'}`,
      ],
    ),
  ];
};
