/** An event source mapping of the template. */
import type { ResolvedResource } from '../cloudformation/read-template.ts';

export interface Mapping {
  readonly id: string;
  readonly sourceArn: string;
  readonly functionName: string;
  readonly batchSize: number;
  readonly concurrencyMax?: number | undefined;
  readonly filterCriteria: unknown;
  readonly reportsFailures: boolean;
  readonly properties: Readonly<Record<string, unknown>>;
}

/** Lambda's defaults: 10 SQS messages, 100 stream records. */
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
 * Which records of a batch failed according to the function's response: none if it has no failures; all if it names an empty
 * identifier or a record outside the batch. Lambda does the same.
 */
export const failedOf = (mapping: Mapping, result: unknown, ids: readonly string[]): ReadonlySet<string> => {
  if (!mapping.reportsFailures || result === null || result === undefined || result === '') return new Set();
  const { batchItemFailures } = result as { batchItemFailures?: unknown };
  if (batchItemFailures === null || batchItemFailures === undefined) return new Set();
  if (!Array.isArray(batchItemFailures)) return new Set(ids);
  const named = batchItemFailures.map((failure) => (failure as { itemIdentifier?: unknown } | null)?.itemIdentifier);
  return named.every((id): id is string => typeof id === 'string' && ids.includes(id)) ? new Set(named) : new Set(ids);
};

/** A running poller. Stopping waits for batches in flight. */
export interface Poller {
  /** Polls early because new records are likely. */
  nudge(): void;
  stop(): Promise<void>;
}

interface Connection {
  readonly endpoint: string;
  readonly region: string;
  readonly accessKeyId: string;
}

/** Options of an AWS client that calls the stage with this access key. */
export const clientOptions = ({ endpoint, region, accessKeyId }: Connection) => ({
  endpoint,
  region,
  credentials: { accessKeyId, secretAccessKey: 'local' },
});

export interface PollerContext extends Connection {
  /** A mapping reads its source with the function's role, so with the function's access key. */
  readonly accessKeyId: string;
  readonly invoke: (functionName: string, event: unknown) => Promise<unknown>;
  /** Prints to the console, each distinct line once. */
  readonly warn: (line: string) => void;
  readonly delayScale: number;
}
