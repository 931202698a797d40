/** Waits until an operation of a stack and its nested stacks has ended, and reports what it does. */
import { setTimeout as pause } from 'node:timers/promises';
import { type CloudFormation, listAt, textAt } from './cloudformation-client.ts';
import type { XmlObject } from './parse-xml.ts';
import { pollDelayMs } from './poll-delay.ts';

export interface ResourceEvent {
  /** The nested stack: Data, Engine, Extension or Api. */
  readonly stack: string;
  readonly logicalId: string;
  readonly type: string;
  /** Such as CREATE_COMPLETE. */
  readonly status: string;
  readonly reason: string;
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
  /** Events up to it belong to earlier operations: `lastEventAt` before the operation. */
  readonly since: Date;
  readonly signal: AbortSignal;
  /** Called with every resource that is done or has failed, in the order of the events. */
  readonly onResource?: (event: ResourceEvent) => void;
}

/** By the clock of AWS, which may differ from that of this machine. */
export const lastEventAt = async (client: CloudFormation, stackId: string): Promise<Date> => {
  const [newest] = listAt(await client.call('DescribeStackEvents', { StackName: stackId }), 'StackEvents');
  return new Date(newest ? textAt(newest, 'Timestamp') : 0);
};

const isStopped = /Resource (creation|update) cancelled/i;

export const followStack = async (client: CloudFormation, { stackId, since, signal, onResource }: Follow): Promise<Ending> => {
  const seen = new Set<string>();
  /** By id: its name in the root. */
  const nested = new Map<string, string>();
  const failures: string[] = [];
  const retained: { type: string; physicalId: string }[] = [];

  /** The oldest first. AWS lists the newest first, so pages after a known event are not read. */
  const newEvents = async (id: string): Promise<readonly XmlObject[]> => {
    const events: XmlObject[] = [];
    for (let NextToken: string | undefined, isLast = false; !isLast; ) {
      const page = await client.call('DescribeStackEvents', { StackName: id, NextToken });
      const fresh = listAt(page, 'StackEvents').filter(
        (event) => !seen.has(textAt(event, 'EventId')) && new Date(textAt(event, 'Timestamp')) > since,
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
      const [type, status, physicalId] = [
        textAt(event, 'ResourceType'),
        textAt(event, 'ResourceStatus'),
        textAt(event, 'PhysicalResourceId'),
      ];
      const [logicalId, reason] = [textAt(event, 'LogicalResourceId'), textAt(event, 'ResourceStatusReason')];
      if (type === 'AWS::CloudFormation::Stack') {
        if (physicalId.startsWith('arn:') && physicalId !== id) nested.set(physicalId, logicalId);
        continue;
      }
      const isFailed = status.endsWith('_FAILED') && !isStopped.test(reason);
      if (isFailed) failures.push(`${logicalId} (${type}): ${reason}`);
      if (status === 'DELETE_SKIPPED') retained.push({ type, physicalId });
      if (isFailed || /_(COMPLETE|SKIPPED)$/.test(status))
        onResource?.({ stack: nested.get(id) ?? '', logicalId, type, status, reason });
    }
  };

  for (let look = 0; ; look += 1) {
    // Read before the events: the last ones are then among them.
    const before = await client.call('DescribeStacks', { StackName: stackId });
    await readEvents(stackId);
    for (const id of nested.keys()) await readEvents(id);
    const [stack = {}] = listAt(before, 'Stacks');
    const status = textAt(stack, 'StackStatus');
    if (!status.endsWith('_IN_PROGRESS')) {
      const outputs = listAt(stack, 'Outputs').map((output) => [textAt(output, 'OutputKey'), textAt(output, 'OutputValue')]);
      return { status, outputs: Object.fromEntries(outputs), failures, retained };
    }
    await pause(pollDelayMs(look), undefined, { signal });
  }
};
