/** Starts a poller for every event source mapping of the template. */
import { setTimeout as pause } from 'node:timers/promises';
import type { State } from '../base/stage-state.ts';
import type { ResolvedResource } from '../cloudformation/read-template.ts';
import type { FunctionSpec } from '../lambda/function-spec.ts';
import type { Host } from '../lambda/host.ts';
import { type Mapping, type Poller, type PollerContext, readMappings } from './mapping.ts';
import { startQueuePoller } from './queue-poller.ts';
import { startStreamPoller } from './stream-poller.ts';

interface PollerOptions extends Pick<PollerContext, 'endpoint' | 'region' | 'delayScale' | 'warn'> {
  readonly resources: readonly ResolvedResource[];
  readonly functions: readonly FunctionSpec[];
  readonly host: Host;
  readonly state: State;
}

/** Batches in flight after this time are cut off and redelivered at the next start, so that Ctrl-C is quick. */
const patienceMs = 3_000;

export const startPollers = (options: PollerOptions): { stop(): Promise<void> } => {
  const { resources, functions, host, state } = options;
  const said = new Set<string>();
  const warn = (line: string): void => {
    if (!said.has(line)) options.warn(line);
    said.add(line);
  };
  const start = (mapping: Mapping): Poller => {
    const fed = functions.find(({ name, arn }) => name === mapping.functionName || arn === mapping.functionName);
    if (!fed) throw new Error(`${mapping.id} feeds ${mapping.functionName}, which the template does not define`);
    const outside: PollerContext = { ...options, warn, accessKeyId: fed.accessKeyId, invoke: host.invoke };
    const service = mapping.sourceArn.split(':')[2];
    if (service === 'dynamodb') return startStreamPoller(mapping, state, outside);
    const queue = resources.find(({ arn }) => arn === mapping.sourceArn);
    if (service !== 'sqs' || !queue)
      throw new Error(`${mapping.id} reads from ${mapping.sourceArn}, which the stage does not have`);
    const url = `${options.endpoint}/${queue.arn.split(':')[4]}/${queue.name}`;
    // SQS's default.
    const visibilityTimeoutSeconds = Number(queue.properties.VisibilityTimeout ?? 30);
    return startQueuePoller(mapping, { url, visibilityTimeoutSeconds }, outside);
  };
  const pollers = readMappings(resources).map(start);
  host.onRun(() => {
    for (const poller of pollers) poller.nudge();
  });
  return {
    stop: async () => {
      await Promise.race([Promise.all(pollers.map((poller) => poller.stop())), pause(patienceMs, undefined, { ref: false })]);
    },
  };
};
