/** An event source mapping of the template: what feeds a function, and how. */
import type { ResolvedResource } from '../cloudformation/read-template.ts';

export interface Mapping {
  readonly id: string;
  readonly sourceArn: string;
  readonly functionName: string;
  readonly batchSize: number;
  /** Batches under way at once, where the template says it. */
  readonly concurrencyMax?: number | undefined;
  readonly filterCriteria: unknown;
  readonly reportsFailures: boolean;
  readonly properties: Readonly<Record<string, unknown>>;
}

/** Lambda's own defaults: 10 messages of a queue, 100 records of a stream. */
const batchSizeOf = (sourceArn: string): number => (sourceArn.includes(':sqs:') ? 10 : 100);

export const readMappings = (resources: readonly ResolvedResource[]): readonly Mapping[] =>
  resources
    .filter(({ type, properties }) => type === 'AWS::Lambda::EventSourceMapping' && properties.Enabled !== false)
    .map(({ logicalId, properties }) => {
      const sourceArn = String(properties.EventSourceArn);
      return {
        id: logicalId,
        sourceArn,
        functionName: String(properties.FunctionName),
        batchSize: Number(properties.BatchSize ?? batchSizeOf(sourceArn)),
        concurrencyMax: (properties.ScalingConfig as { MaximumConcurrency?: number } | undefined)?.MaximumConcurrency,
        filterCriteria: properties.FilterCriteria,
        reportsFailures: ((properties.FunctionResponseTypes ?? []) as string[]).includes('ReportBatchItemFailures'),
        properties,
      };
    });

/**
 * Which records of a batch failed, by the function's answer: none where it says nothing, all where it names a record that
 * is not in the batch or an empty identifier, as Lambda has it.
 */
export const failedOf = (mapping: Mapping, result: unknown, ids: readonly string[]): ReadonlySet<string> => {
  if (!mapping.reportsFailures || result === null || result === undefined || result === '') return new Set();
  const { batchItemFailures } = result as { batchItemFailures?: unknown };
  if (batchItemFailures === null || batchItemFailures === undefined) return new Set();
  if (!Array.isArray(batchItemFailures)) return new Set(ids);
  const named = batchItemFailures.map((failure) => (failure as { itemIdentifier?: unknown } | null)?.itemIdentifier);
  return named.every((id): id is string => typeof id === 'string' && ids.includes(id)) ? new Set(named) : new Set(ids);
};

/** A poller at work; stopping waits for what is under way. */
export interface Poller {
  /** Something may have arrived. */
  nudge(): void;
  stop(): Promise<void>;
}

/** How pollers reach the outside. */
export interface Outside {
  readonly endpoint: string;
  readonly region: string;
  /** A mapping reads its source with the function's own role, so with its key. */
  readonly accessKeyId: string;
  readonly invoke: (functionName: string, event: unknown) => Promise<unknown>;
  /** Tells the person at the console, once per different line. */
  readonly warn: (line: string) => void;
  readonly delayScale: number;
}
