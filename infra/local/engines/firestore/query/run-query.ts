import type { Databases } from '../databases.ts';
import { databaseName, parseParent } from '../name.ts';
import { DocumentMessage, type Message, type Method, RpcError } from '../parts.ts';
import { decodeRequest, proto, timestampOf } from '../proto.ts';
import type { RunQueryRequest } from '../query-messages.ts';
import { openReader } from '../reader.ts';
import { planQuery } from './plan.ts';
import { matches, runPlan } from './run.ts';

/** Messages given to the transport at once: enough that a write to the socket is worth its cost, few enough to stay small. */
const batchMessages = 128;

/** RunQuery: documents go out as the bytes they are kept in. */
export const runQuery = (databases: Databases): Method => ({
  kind: 'server-stream',
  run: (bytes) => {
    const request = decodeRequest(proto.RunQueryRequest, bytes);
    return respond(databases, request);
  },
});

function* respond(databases: Databases, request: RunQueryRequest): Generator<readonly Message[]> {
  const parent = parseParent(request.parent);
  if (!request.structuredQuery) throw new RpcError('INVALID_ARGUMENT', 'query_type is required.');
  const reader = openReader(databases.open(parent), request);
  const plan = planQuery(parent, databaseName(parent), request.structuredQuery);
  reader.track(plan.from, plan.to, matches(plan));
  const readTime = timestampOf(reader.at);
  const first = { transaction: reader.transaction, readTime };
  if (request.explainOptions && !request.explainOptions.analyze) {
    yield [proto.RunQueryResponse.encode({ ...first, explainMetrics: { planSummary: { indexesUsed: [] } } })];
    return;
  }
  // A transaction begun by the query is told before its first document.
  if (reader.transaction) yield [proto.RunQueryResponse.encode({ transaction: reader.transaction })];
  const suffix = proto.RunQueryResponse.encode({ readTime });
  let batch: Message[] = [];
  let count = 0;
  const skipped = (skippedResults: number): void => {
    if (skippedResults > 0) batch.push(proto.RunQueryResponse.encode({ readTime, skippedResults }));
  };
  for (const document of runPlan(plan, reader.scan, skipped)) {
    count++;
    batch.push(new DocumentMessage(document.bytes, suffix));
    if (batch.length < batchMessages) continue;
    yield batch;
    batch = [];
  }
  if (count === 0 && batch.length === 0) batch.push(suffix);
  if (request.explainOptions) batch.push(proto.RunQueryResponse.encode({ readTime, explainMetrics: explain(count) }));
  if (batch.length > 0) yield batch;
}

const explain = (count: number) => ({
  planSummary: { indexesUsed: [] },
  executionStats: {
    resultsReturned: BigInt(count),
    executionDuration: { seconds: 0n, nanos: 1_000_000 },
    readOperations: BigInt(Math.max(1, count)),
  },
});
