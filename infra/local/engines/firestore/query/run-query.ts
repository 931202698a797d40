import { databaseName, parseParent } from '../base/document-name.ts';
import { DocumentMessage, type Message, type Method, RpcError } from '../base/types.ts';
import { decodeRequest, proto, timestampOf } from '../proto/codecs.ts';
import type { RunQueryRequest } from '../proto/query-messages.ts';
import type { Databases } from '../storage/databases.ts';
import { openReader } from '../storage/read-view.ts';
import { executePlan, matches } from './execute-plan.ts';
import { executionStats, planSummary } from './execution-stats.ts';
import { planQuery } from './plan.ts';

/** Messages per batch: enough to make a socket write worth its cost, few enough to stay small. */
const batchMessages = 128;

/** RunQuery: sends documents as the stored bytes. */
export const runQuery = (databases: Databases): Method => ({
  kind: 'server-stream',
  run: (bytes) => {
    const request = decodeRequest(proto.RunQueryRequest, bytes);
    return respond(databases, request);
  },
});

function* respond(databases: Databases, request: RunQueryRequest): Generator<readonly Message[]> {
  const begun = performance.now();
  const parent = parseParent(request.parent);
  const { structuredQuery: query, explainOptions } = request;
  if (!query) throw new RpcError('INVALID_ARGUMENT', 'only structured queries are supported');
  const reader = openReader(databases.open(parent), request);
  const plan = planQuery(parent, databaseName(parent), query);
  reader.track(plan.from, plan.to, matches(plan));
  const readTime = timestampOf(reader.at);
  // A transaction begun by the query is announced before the first document.
  if (reader.transaction) yield [proto.RunQueryResponse.encode({ transaction: reader.transaction })];
  // A query that was not run has no read time.
  if (explainOptions && !explainOptions.analyze) {
    yield [proto.RunQueryResponse.encode({ explainMetrics: { planSummary: planSummary(query, plan) } })];
    return;
  }
  const suffix = proto.RunQueryResponse.encode({ readTime });
  let batch: Message[] = [];
  let count = 0;
  const skipped = (skippedResults: number): void => {
    if (skippedResults > 0) batch.push(proto.RunQueryResponse.encode({ readTime, skippedResults }));
  };
  for (const document of executePlan(plan, reader.scan, skipped)) {
    count++;
    batch.push(new DocumentMessage(document.bytes, suffix));
    if (batch.length < batchMessages) continue;
    yield batch;
    batch = [];
  }
  if (count === 0 && batch.length === 0) batch.push(suffix);
  if (explainOptions) {
    // Reading a vector index costs one additional read.
    const readOperations = Math.max(1, count + (plan.nearest ? 1 : 0));
    const work = { results: count, readOperations, documents: count, indexEntries: count, begun };
    const explainMetrics = { planSummary: planSummary(query, plan), executionStats: executionStats(work) };
    batch.push(proto.RunQueryResponse.encode({ readTime, explainMetrics }));
  }
  if (batch.length > 0) yield batch;
}
