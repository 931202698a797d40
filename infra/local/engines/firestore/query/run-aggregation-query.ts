import { databaseName, parseParent } from '../base/document-name.ts';
import { awaited, Pending } from '../base/pending.ts';
import { type Message, type Method, RpcError, type StoredDocument } from '../base/types.ts';
import { decodeRequest, proto, timestampOf } from '../proto/codecs.ts';
import type { Aggregation, RunAggregationQueryRequest } from '../proto/query-messages.ts';
import type { Databases } from '../storage/databases.ts';
import { openReader } from '../storage/read-view.ts';
import { accumulatorOf } from './accumulators.ts';
import { checkIndex } from './check-index.ts';
import { executePlan, matches } from './execute-plan.ts';
import { executionStats, planSummary } from './execution-stats.ts';
import { fieldRef, fieldValue } from './field-access.ts';
import { planQuery } from './plan.ts';

const aggregationsMax = 5;

/** RunAggregationQuery: count, sum and average over a query's results. */
export const runAggregationQuery = (databases: Databases): Method => ({
  kind: 'server-stream',
  run: (bytes) => awaited(answer(databases, decodeRequest(proto.RunAggregationQueryRequest, bytes))),
});

function* answer(
  databases: Databases,
  request: RunAggregationQueryRequest,
): Generator<readonly Message[] | Pending, void, undefined> {
  const begun = performance.now();
  const parent = parseParent(request.parent);
  const { structuredQuery, aggregations = [] } = request.structuredAggregationQuery ?? {};
  if (!structuredQuery) throw new RpcError('INVALID_ARGUMENT', 'structured_query is required.');
  if (aggregations.length === 0) throw new RpcError('INVALID_ARGUMENT', 'Aggregations can not be empty.');
  if (aggregations.length > aggregationsMax)
    throw new RpcError(
      'INVALID_ARGUMENT',
      `The maximum number of aggregations allowed in an aggregation query is ${aggregationsMax}. Received: ${aggregations.length}`,
    );
  const database = databaseName(parent);
  const reader = openReader(databases.open(parent), request);
  const fields = aggregations.flatMap(({ sum, avg }) => ((sum ?? avg) ? [fieldRef((sum ?? avg)?.field, database)] : []));
  if (structuredQuery.select && fields.length > 0)
    throw new RpcError('INVALID_ARGUMENT', 'Cannot apply property masks when aggregation fields are present.');
  const plan = planQuery(structuredQuery, { parent, databaseName: database, aggregated: fields });
  checkIndex(reader.database.indexes, { parent, query: structuredQuery, plan, aggregated: fields });
  reader.track(plan.from, plan.to, matches(plan));
  const named = aliased(aggregations);
  const accumulators = named.map(({ aggregation }) => accumulatorOf(aggregation, database));
  // Stop once every count has reached its limit.
  const enough = Math.max(...accumulators.map(({ enough }) => enough));
  let seen = 0;
  // As in one index, only documents that have all aggregated fields count, for every aggregation.
  const isCounted = (document: StoredDocument): boolean => fields.every((field) => fieldValue(document, field) !== undefined);
  const narrowed = {
    ...plan,
    select: undefined,
    filter:
      fields.length === 0 ? plan.filter : (document: StoredDocument) => isCounted(document) && (plan.filter?.(document) ?? true),
  };
  const { transaction } = reader;
  const summary = request.explainOptions && planSummary(structuredQuery, plan, fields);
  if (summary && !request.explainOptions?.analyze) {
    yield [proto.RunAggregationQueryResponse.encode({ transaction, explainMetrics: { planSummary: summary } })];
    return;
  }
  for (const document of executePlan(narrowed, reader.scan)) {
    if (document instanceof Pending) {
      yield document;
      continue;
    }
    for (const accumulator of accumulators) accumulator.add(document);
    if (++seen >= enough) break;
  }
  reader.database.meter.count(seen);
  const aggregateFields = new Map(named.map(({ alias }, i) => [alias, accumulators[i]?.result() ?? new Uint8Array()]));
  // 1,000 index entries are billed as one document read.
  const work = { results: 1, readOperations: Math.max(1, Math.ceil(seen / 1000)), documents: 0, indexEntries: seen, begun };
  const explainMetrics = summary && { planSummary: summary, executionStats: executionStats(work) };
  const readTime = timestampOf(reader.at);
  yield [proto.RunAggregationQueryResponse.encode({ transaction, readTime, result: { aggregateFields }, explainMetrics })];
}

/** Aggregations without an alias are named field_1, field_2, … */
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
