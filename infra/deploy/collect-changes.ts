/** The change set of a release: what a deployment would do, in all nested stacks. */
import { setTimeout as pause } from 'node:timers/promises';
import { type CloudFormation, objectAt, textAt } from './cloudformation-client.ts';
import type { XmlObject } from './parse-xml.ts';
import { pollDelayMs } from './poll-delay.ts';

export interface ResourceChange {
  /** The nested stack: Data, Engine, Extension or Api. Empty for the root. */
  readonly stack: string;
  readonly action: string;
  readonly logicalId: string;
  readonly type: string;
  /** A new resource takes its place, and the old one is deleted. */
  readonly isReplaced: boolean;
  readonly isRetained: boolean;
}

/** Waits until the change set is computed. Undefined: there is nothing to change. */
export const collectChanges = async (
  client: CloudFormation,
  changeSetId: string,
  signal: AbortSignal,
): Promise<readonly ResourceChange[] | undefined> => {
  for (let look = 0; ; look += 1) {
    const set = await client.call('DescribeChangeSet', { ChangeSetName: changeSetId });
    const [status, reason] = [textAt(set, 'Status'), textAt(set, 'StatusReason')];
    if (status === 'CREATE_COMPLETE') return changesOf(client, changeSetId, '');
    if (status === 'FAILED') {
      if (/didn't contain changes|No updates/i.test(reason)) return undefined;
      throw new Error(`the changes cannot be computed: ${reason}`);
    }
    await pause(pollDelayMs(look), undefined, { signal });
  }
};

const changesOf = async (client: CloudFormation, changeSetId: string, stack: string): Promise<readonly ResourceChange[]> => {
  const changes = await client.listAll('DescribeChangeSet', { ChangeSetName: changeSetId }, 'Changes');
  const found: ResourceChange[] = [];
  for (const change of changes.map((each): XmlObject => objectAt(each, 'ResourceChange'))) {
    const nested = textAt(change, 'ChangeSetId');
    const logicalId = textAt(change, 'LogicalResourceId');
    if (nested !== '') found.push(...(await changesOf(client, nested, logicalId)));
    else
      found.push({
        stack,
        action: textAt(change, 'Action'),
        logicalId,
        type: textAt(change, 'ResourceType'),
        isReplaced: textAt(change, 'Replacement') === 'True',
        isRetained: textAt(change, 'PolicyAction') === 'Retain',
      });
  }
  return found;
};
