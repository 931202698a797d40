/** Waits until an operation of a stack and its nested stacks has ended, and reports what it does. */
import { setTimeout as pause } from 'node:timers/promises';
import { type CloudFormation, listAt, textAt } from './cloudformation-client.ts';
import type { XmlObject } from './parse-xml.ts';
import { pollDelayMs } from './poll-delay.ts';

export interface Progress {
  readonly done: number;
  /** The resource that changed last. */
  readonly latest: string;
}

export interface Ending {
  readonly status: string;
  readonly outputs: Readonly<Record<string, string>>;
  /** Resources that failed, each with the reason. Those that were only stopped are left out. */
  readonly failures: readonly string[];
  /** Physical ids of what a deletion left, by type. */
  readonly retained: readonly { readonly type: string; readonly physicalId: string }[];
}

interface Follow {
  readonly stackId: string;
  /** Events before it belong to earlier operations. */
  readonly since: Date;
  readonly signal: AbortSignal;
  readonly onProgress?: (progress: Progress) => void;
}

const isStopped = /Resource (creation|update) cancelled/i;

export const followStack = async (client: CloudFormation, { stackId, since, signal, onProgress }: Follow): Promise<Ending> => {
  const seen = new Set<string>();
  const nested = new Set<string>();
  const ended = new Set<string>();
  const failures: string[] = [];
  const retained: { type: string; physicalId: string }[] = [];
  let latest = '';

  /** The oldest first. AWS lists the newest first, so pages after a known event are not read. */
  const newEvents = async (id: string): Promise<readonly XmlObject[]> => {
    const events: XmlObject[] = [];
    for (let NextToken: string | undefined, isLast = false; !isLast; ) {
      const page = await client.call('DescribeStackEvents', { StackName: id, NextToken });
      const fresh = listAt(page, 'StackEvents').filter(
        (event) => !seen.has(textAt(event, 'EventId')) && new Date(textAt(event, 'Timestamp')) >= since,
      );
      events.push(...fresh);
      NextToken = textAt(page, 'NextToken') || undefined;
      isLast = NextToken === undefined || fresh.length < listAt(page, 'StackEvents').length;
    }
    return events.reverse();
  };

  const readEvents = async (id: string): Promise<void> => {
    for (const event of await newEvents(id)) {
      seen.add(textAt(event, 'EventId'));
      const [type, status, physicalId] = ['ResourceType', 'ResourceStatus', 'PhysicalResourceId'].map((field) =>
        textAt(event, field),
      );
      const [logicalId, reason] = [textAt(event, 'LogicalResourceId'), textAt(event, 'ResourceStatusReason')];
      const isStack = type === 'AWS::CloudFormation::Stack';
      if (isStack && physicalId?.startsWith('arn:') && physicalId !== id) nested.add(physicalId);
      if (isStack) continue;
      latest = logicalId;
      if (status?.endsWith('_FAILED') && !isStopped.test(reason)) failures.push(`${logicalId} (${type}): ${reason}`);
      if (status === 'DELETE_SKIPPED') retained.push({ type: type ?? '', physicalId: physicalId ?? '' });
      if (/_(COMPLETE|SKIPPED)$/.test(status ?? '')) ended.add(`${id}/${logicalId}`);
    }
  };

  for (let look = 0; ; look += 1) {
    // Read before the events: the last ones are then among them.
    const before = await client.call('DescribeStacks', { StackName: stackId });
    await readEvents(stackId);
    for (const id of nested) await readEvents(id);
    onProgress?.({ done: ended.size, latest });
    const [stack = {}] = listAt(before, 'Stacks');
    const status = textAt(stack, 'StackStatus');
    if (!status.endsWith('_IN_PROGRESS')) {
      const outputs = listAt(stack, 'Outputs').map((output) => [textAt(output, 'OutputKey'), textAt(output, 'OutputValue')]);
      return { status, outputs: Object.fromEntries(outputs), failures, retained };
    }
    await pause(pollDelayMs(look), undefined, { signal });
  }
};
