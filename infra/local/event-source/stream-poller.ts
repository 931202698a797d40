/**
 * Feeds a function from the table's stream: each shard in order, parents before children, from the checkpoint of the last run.
 * The checkpoint advances only past records that succeeded or whose retries are exhausted.
 */
import { setTimeout as pause } from 'node:timers/promises';
import {
  DescribeStreamCommand,
  DynamoDBStreamsClient,
  GetRecordsCommand,
  GetShardIteratorCommand,
  type Shard,
} from '@aws-sdk/client-dynamodb-streams';
import type { State } from '../base/stage-state.ts';
import { compileFilterCriteria } from './filter-criteria.ts';
import { clientOptions, type Mapping, type Poller, type PollerContext } from './mapping.ts';
import { type DeliverRecords, makeStreamDelivery } from './stream-delivery.ts';
import { recordOf, type StreamRecord } from './stream-record.ts';

/** Lambda polls a shard four times a second. The end of a function run polls immediately, since most changes come from one. */
const busyMs = 200;
/** Poll interval of an idle stage: costs 0.5 % of a core instead of 2.5 %. */
const idleMs = 1_000;
const quietAfterMs = 10_000;
/** The shortest interval between polls of a shard. At 20 ms polling took a fifth of a busy stage's CPU. */
const pauseMs = 100;
/** DynamoDB's maximum. As with Lambda, filtered records do not count towards the batch size. */
const readMax = 1_000;
/** Shards are listed again when one closes, and at least this often. */
const describeEveryMs = 30_000;

const checkpointKind = 'checkpoint';
const closed = 'CLOSED';

export const startStreamPoller = (mapping: Mapping, state: State, outside: PollerContext): Poller => {
  const streams = new DynamoDBStreamsClient(clientOptions(outside));
  const passes = compileFilterCriteria(mapping.filterCriteria);
  const stopping = new AbortController();
  const deliver: DeliverRecords = makeStreamDelivery(mapping, outside, stopping.signal);
  const iterators = new Map<string, string>();
  const keyOf = (shardId: string): string => `${mapping.id}/${mapping.sourceArn}/${shardId}`;
  const checkpoint = (shardId: string): string | undefined => state.get(checkpointKind, keyOf(shardId));
  const mark = (shardId: string, position: string): void => state.set(checkpointKind, keyOf(shardId), position);

  let shards: readonly Shard[] = [];
  let describedAtMs = 0;
  let wake = (): void => {};
  let activeAtMs = Date.now();

  const describe = async (): Promise<void> => {
    const found: Shard[] = [];
    let after: string | undefined;
    do {
      const { StreamDescription } = await streams.send(
        new DescribeStreamCommand({ StreamArn: mapping.sourceArn, ...(after && { ExclusiveStartShardId: after }) }),
      );
      found.push(...(StreamDescription?.Shards ?? []));
      after = StreamDescription?.LastEvaluatedShardId;
    } while (after);
    shards = found;
    describedAtMs = Date.now();
  };

  const iteratorOf = async (shardId: string): Promise<string | undefined> => {
    const known = iterators.get(shardId);
    if (known) return known;
    const after = checkpoint(shardId);
    const start = String(mapping.properties.StartingPosition ?? 'TRIM_HORIZON') as 'TRIM_HORIZON' | 'LATEST';
    const ask = (position: object) =>
      streams.send(
        new GetShardIteratorCommand({ StreamArn: mapping.sourceArn, ShardId: shardId, ShardIteratorType: start, ...position }),
      );
    const { ShardIterator } = await ask(after ? { ShardIteratorType: 'AFTER_SEQUENCE_NUMBER', SequenceNumber: after } : {}).catch(
      (error: Error) => {
        // The stream keeps 24 hours. Older records are gone; continue at the trim horizon.
        if (error.name !== 'TrimmedDataAccessException') throw error;
        return ask({ ShardIteratorType: 'TRIM_HORIZON' });
      },
    );
    return ShardIterator;
  };

  /** Reads a shard once. Returns true if more records may be available. */
  const read = async (shardId: string): Promise<boolean> => {
    const iterator = await iteratorOf(shardId);
    if (!iterator) return false;
    iterators.delete(shardId);
    const { Records = [], NextShardIterator } = await streams.send(
      new GetRecordsCommand({ ShardIterator: iterator, Limit: readMax }),
    );
    const records = Records.map((record) => recordOf(record, mapping.sourceArn, outside.region));
    const wanted = records.filter(passes);
    for (let start = 0; start < wanted.length; start += mapping.batchSize) {
      const batch = wanted.slice(start, start + mapping.batchSize);
      const position = await deliver(shardId, batch, (record) => mark(shardId, record.dynamodb.SequenceNumber));
      // Stopped in between: undelivered records are read again at the next start.
      if (position === 'stopped') return false;
    }
    const last: StreamRecord | undefined = records.at(-1);
    if (last) mark(shardId, last.dynamodb.SequenceNumber);
    if (NextShardIterator) iterators.set(shardId, NextShardIterator);
    else {
      mark(shardId, closed);
      describedAtMs = 0;
    }
    return records.length > 0;
  };

  const round = async (): Promise<boolean> => {
    if (Date.now() - describedAtMs > describeEveryMs) await describe();
    const open = shards.filter(({ ShardId = '' }) => checkpoint(ShardId) !== closed);
    const ids = new Set(open.map(({ ShardId }) => ShardId));
    let more = false;
    for (const { ShardId = '', ParentShardId } of open) {
      if (ParentShardId && ids.has(ParentShardId)) continue;
      more = (await read(ShardId)) || more;
    }
    return more;
  };

  const loop = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      const woken = new Promise<void>((resolve) => {
        wake = resolve;
      });
      const more = await round().catch((error: unknown) => {
        iterators.clear();
        const { name, message } = error as Error;
        if (!stopping.signal.aborted && name !== 'ExpiredIteratorException') {
          outside.warn(`cannot feed ${mapping.functionName} from its stream: ${message}`);
        }
        return false;
      });
      await pause(pauseMs);
      if (more) activeAtMs = Date.now();
      else if (!stopping.signal.aborted) {
        const waitMs = Date.now() - activeAtMs < quietAfterMs ? busyMs : idleMs;
        await Promise.race([woken, pause(waitMs)]);
      }
    }
  };

  const looping = loop();
  return {
    nudge: () => {
      activeAtMs = Date.now();
      wake();
    },
    stop: async () => {
      stopping.abort();
      wake();
      await looping;
      streams.destroy();
    },
  };
};
