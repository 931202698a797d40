import type { Databases } from '../databases.ts';
import { databaseName, parseParent } from '../name.ts';
import { type Method, RpcError, type StoredDocument } from '../parts.ts';
import { decodeRequest, proto, timestampOf } from '../proto.ts';
import type { Aggregation, RunAggregationQueryRequest } from '../query-messages.ts';
import { openReader } from '../reader.ts';
import { type FieldRef, fieldRef, fieldValue } from './field.ts';
import { planQuery } from './plan.ts';
import { matches, runPlan } from './run.ts';

const aggregationsMax = 5;

/** RunAggregationQuery: count, sum and average over a query's results. */
export const runAggregationQuery = (databases: Databases): Method => ({
  kind: 'server-stream',
  run: (bytes) => [[answer(databases, decodeRequest(proto.RunAggregationQueryRequest, bytes))]],
});

const answer = (databases: Databases, request: RunAggregationQueryRequest): Uint8Array => {
  const parent = parseParent(request.parent);
  const { structuredQuery, aggregations = [] } = request.structuredAggregationQuery ?? {};
  if (!structuredQuery) throw new RpcError('INVALID_ARGUMENT', 'structured_query is required.');
  if (aggregations.length === 0) throw new RpcError('INVALID_ARGUMENT', 'At least one aggregation is required.');
  if (aggregations.length > aggregationsMax)
    throw new RpcError(
      'INVALID_ARGUMENT',
      `The maximum number of aggregations allowed in an aggregation query is ${aggregationsMax}. Received: ${aggregations.length}`,
    );
  const database = databaseName(parent);
  const reader = openReader(databases.open(parent), request);
  const plan = planQuery(parent, database, structuredQuery);
  reader.track(plan.from, plan.to, matches(plan));
  const named = aliased(aggregations);
  const accumulators = named.map(({ aggregation }) => accumulatorOf(aggregation, database));
  // Beyond what every count asks for there is nothing left to learn.
  const enough = Math.max(...accumulators.map(({ enough }) => enough));
  let seen = 0;
  // Only documents that have every field summed or averaged count, for every aggregation: they are read from one index.
  const fields = aggregations.flatMap(({ sum, avg }) => ((sum ?? avg) ? [fieldRef((sum ?? avg)?.field, database)] : []));
  const isCounted = (document: StoredDocument): boolean => fields.every((field) => fieldValue(document, field) !== undefined);
  const narrowed = {
    ...plan,
    select: undefined,
    filter:
      fields.length === 0 ? plan.filter : (document: StoredDocument) => isCounted(document) && (plan.filter?.(document) ?? true),
  };
  for (const document of runPlan(narrowed, reader.scan)) {
    for (const accumulator of accumulators) accumulator.add(document);
    if (++seen >= enough) break;
  }
  const aggregateFields = new Map(named.map(({ alias }, i) => [alias, accumulators[i]?.result() ?? new Uint8Array()]));
  return proto.RunAggregationQueryResponse.encode({
    result: { aggregateFields },
    transaction: reader.transaction,
    readTime: timestampOf(reader.at),
  });
};

/** Aggregations without a name of their own are field_1, field_2, … */
const aliased = (aggregations: readonly Aggregation[]): readonly { alias: string; aggregation: Aggregation }[] => {
  const taken = new Set<string>();
  let unnamed = 0;
  return aggregations.map((aggregation) => {
    const alias = aggregation.alias || `field_${++unnamed}`;
    if (taken.has(alias)) throw new RpcError('INVALID_ARGUMENT', `Aggregation aliases contain duplicate alias: ${alias}`);
    taken.add(alias);
    return { alias, aggregation };
  });
};

interface Accumulator {
  add(document: StoredDocument): void;
  result(): Uint8Array;
  /** Documents after which the result cannot change. */
  readonly enough: number;
}

const accumulatorOf = (aggregation: Aggregation, database: string): Accumulator => {
  if (aggregation.count) return counter(aggregation.count.upTo?.value);
  if (aggregation.sum) return summer(fieldRef(aggregation.sum.field, database), 'sum');
  if (aggregation.avg) return summer(fieldRef(aggregation.avg.field, database), 'average');
  throw new RpcError('INVALID_ARGUMENT', 'Aggregation operator is required.');
};

const counter = (upTo: bigint | undefined): Accumulator => {
  if (upTo !== undefined && upTo <= 0n) throw new RpcError('INVALID_ARGUMENT', 'up_to must be greater than zero.');
  let count = 0n;
  return {
    add: () => {
      if (upTo === undefined || count < upTo) count++;
    },
    result: () => proto.Value.encode({ integerValue: count }),
    enough: upTo === undefined ? Number.POSITIVE_INFINITY : Number(upTo),
  };
};

const int64Max = 2n ** 63n - 1n;
const int64Min = -(2n ** 63n);

/** Values that are no numbers are passed over. Integers add up exactly; beyond 64 bits, or with a double, the sum is a double. */
const summer = (field: FieldRef, kind: 'sum' | 'average'): Accumulator => {
  let integers = 0n;
  let doubles = 0;
  let hasDouble = false;
  let count = 0;
  const total = (): number => Number(integers) + doubles;
  return {
    add: (document) => {
      const value = fieldValue(document, field);
      if (value?.kind === 'integer') integers += BigInt(value.value);
      else if (value?.kind === 'double') {
        doubles += value.value;
        hasDouble = true;
      } else return;
      count++;
    },
    result: () => {
      if (kind === 'average')
        return proto.Value.encode(count === 0 ? { nullValue: 'NULL_VALUE' } : { doubleValue: total() / count });
      if (!hasDouble && integers >= int64Min && integers <= int64Max) return proto.Value.encode({ integerValue: integers });
      return proto.Value.encode({ doubleValue: total() });
    },
    enough: Number.POSITIVE_INFINITY,
  };
};
