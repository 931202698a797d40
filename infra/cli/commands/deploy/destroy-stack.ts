import { textAt } from '../../../deploy/cloudformation-client.ts';
import type { Account } from '../../../deploy/open-account.ts';
import { findStack } from '../../../deploy/release-stack.ts';
import { CliFailure } from '../../base/cli-failure.ts';
import { exitCodes } from '../../base/exit-codes.ts';
import type { Context } from '../../context/context.ts';
import { askName } from '../../output/ask.ts';
import { formatCounted } from '../../output/format.ts';
import { countEach } from './change-view.ts';
import type { DeployOptions } from './deploy-options.ts';
import { followChange } from './follow-change.ts';

/** Why a resource stays when the rest goes. */
const reasons: Readonly<Record<string, string>> = {
  'AWS::DynamoDB::Table': 'the table: all records, and the wrapped keys of backups',
  'AWS::KMS::Key': 'a key: without it backups cannot be decrypted',
  'AWS::SecretsManager::Secret': 'a secret: what was encrypted or signed with it',
  'AWS::Logs::LogGroup': 'logs: until their retention ends',
};
const reasonOf = (type: string): string => reasons[type] ?? type;

interface StackResource {
  readonly type: string;
  readonly isRetained: boolean;
}

/** Removes a deployment. What holds data is retained; backups are in the buckets of customers, which are not touched. */
export const destroyStack = async (context: Context, account: Account, { name, yes }: DeployOptions): Promise<void> => {
  const { output } = context;
  const { client, region } = account;
  const stack = await findStack(client, name);
  if (!stack) throw new CliFailure(exitCodes.notFound, `account ${account.account} has no stack ${name} in ${region}`);
  const resources = await resourcesBelow(account, stack.id);
  const kept = countEach(resources.flatMap(({ type, isRetained }) => (isRetained ? [type] : [])));
  output.note(`${formatCounted(resources.length, 'resource')} of ${name} in account ${account.account}, ${region}. These stay:`);
  for (const [type, count] of kept) output.note(`  ${String(count).padStart(3)}  ${reasonOf(type)}`);
  const { AssetBucket: bucket, AssetPrefix: prefix } = stack.parameters;
  if (bucket)
    output.note(`The files of the release stay in s3://${bucket}/${prefix ?? ''}; afterwards nothing of ${name} needs them.`);
  output.note('Backups are in the buckets of your destinations, and stay, too. The address of the API goes for good.');
  if (!yes && !(await askName(context, `Remove ${name}?`, name))) throw new CliFailure(exitCodes.failed, 'nothing was removed');
  if (stack.isProtected)
    await client.call('UpdateTerminationProtection', { StackName: stack.id, EnableTerminationProtection: false });
  const { status, retained } = await followChange(context, client, {
    stackId: stack.id,
    count: resources.length,
    start: () => client.call('DeleteStack', { StackName: stack.id }),
    isDone: /^DELETE_COMPLETE$/,
    failed: (last) => `${name} could not be removed completely (${last})`,
  });
  output.result({ status, retained }, name, `${name} is removed; ${formatCounted(retained.length, 'resource')} stay:`);
  if (!output.isJson && !output.isQuiet)
    for (const { type, physicalId } of retained) output.line(`  ${physicalId}  ${reasonOf(type)}`);
};

/** Of the stack and its nested stacks, with what their templates say about deletion. */
const resourcesBelow = async (account: Account, stackId: string): Promise<readonly StackResource[]> => {
  const { client } = account;
  const body = textAt(await client.call('GetTemplate', { StackName: stackId }), 'TemplateBody');
  const { Resources } = JSON.parse(body) as {
    readonly Resources: Readonly<Record<string, { readonly DeletionPolicy?: string }>>;
  };
  const summaries = await client.listAll('ListStackResources', { StackName: stackId }, 'StackResourceSummaries');
  const found: StackResource[] = [];
  for (const summary of summaries) {
    const type = textAt(summary, 'ResourceType');
    if (type === 'AWS::CloudFormation::Stack')
      found.push(...(await resourcesBelow(account, textAt(summary, 'PhysicalResourceId'))));
    else found.push({ type, isRetained: Resources[textAt(summary, 'LogicalResourceId')]?.DeletionPolicy === 'Retain' });
  }
  return found;
};
