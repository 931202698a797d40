import { databaseName, parseParent } from '../base/document-name.ts';
import { awaited, Pending } from '../base/pending.ts';
import { DocumentMessage, type Message, type Method, RpcError, type StoredDocument } from '../base/types.ts';
import { decodeRequest, proto, timestampOf } from '../proto/codecs.ts';
import type { ExplainMetrics, RunQueryRequest, StructuredQuery } from '../proto/query-messages.ts';
import type { Databases } from '../storage/databases.ts';
import { openReader } from '../storage/read-view.ts';
import { checkIndex } from './check-index.ts';
import { executePlan, matches } from './execute-plan.ts';
import { executionStats, planSummary } from './execution-stats.ts';
import { type Plan, planQuery } from './plan.ts';

/** Messages per batch: enough to make a socket write worth its cost, few enough to stay small. */
const batchMessages = 128;

/** RunQuery: sends documents as the stored bytes. */
export const runQuery = (databases: Databases): Method => ({
  kind: 'server-stream',
  run: (bytes) => {
    const request = decodeRequest(proto.RunQueryRequest, bytes);
    return awaited(respond(databases, request));
  },
});

function* respond(databases: Databases, request: RunQueryRequest): Generator<readonly Message[] | Pending> {
  const begun = performance.now();
  const parent = parseParent(request.parent);
  const { structuredQuery: query, explainOptions } = request;
  if (!query) throw new RpcError('INVALID_ARGUMENT', 'only structured queries are supported');
  const reader = openReader(databases.open(parent), request);
  const plan = planQuery(query, { parent, databaseName: databaseName(parent) });
  checkIndex(reader.database.indexes, { parent, query, plan });
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
  let [bytes, skippedCount] = [0, 0];
  let last: StoredDocument | undefined;
  const skipped = (skippedResults: number): void => {
    skippedCount = skippedResults;
    if (skippedResults > 0) batch.push(proto.RunQueryResponse.encode({ readTime, skippedResults }));
  };
  try {
    for (const document of executePlan(plan, reader.scan, skipped)) {
      if (document instanceof Pending) {
        yield document;
        continue;
      }
      count++;
      bytes += document.bytes.length;
      // One document is held back: the last one carries the metrics.
      if (last) batch.push(new DocumentMessage(last.bytes, suffix));
      last = document;
      if (batch.length < batchMessages) continue;
      yield batch;
      batch = [];
    }
  } finally {
    // Also what a client that went away had received.
    reader.database.meter.scan('queries', count + skippedCount, bytes);
  }
  const end = explainOptions
    ? proto.RunQueryResponse.encode({ readTime, explainMetrics: metricsOf(query, plan, { results: count, begun }) })
    : suffix;
  if (last) batch.push(new DocumentMessage(last.bytes, end));
  else if (batch.length === 0 || explainOptions) batch.push(end);
  yield batch;
}

const metricsOf = (
  query: StructuredQuery,
  plan: Plan,
  { results, begun }: { readonly results: number; readonly begun: number },
): ExplainMetrics => {
  // Reading a vector index costs one additional read.
  const readOperations = Math.max(1, results + (plan.nearest ? 1 : 0));
  const work = { results, readOperations, documents: results, indexEntries: results, begun };
  return { planSummary: planSummary(query, plan), executionStats: executionStats(work) };
};
