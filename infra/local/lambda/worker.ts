/**
 * What runs inside an instance's thread: loads the bundle once, then answers one event after the other.
 * Events and results cross as JSON text, as they do on Lambda: what JSON cannot carry does not arrive.
 */
import { createRequire, enableCompileCache, flushCompileCache } from 'node:module';
import { type MessagePort, parentPort, workerData } from 'node:worker_threads';

/** What an instance tells its thread at birth. */
export interface Birth {
  readonly bundle: string;
  readonly handler: string;
  /** Compiled code is kept here: the second start of a bundle takes a quarter less. */
  readonly cache: string;
  readonly arn: string;
  /** Where reports go. */
  readonly reports: MessagePort;
}

export interface Order {
  readonly requestId: string;
  readonly event: string;
  readonly deadlineMs: number;
}

export type Report =
  | { readonly kind: 'ready' }
  | { readonly kind: 'result'; readonly requestId: string; readonly result: string }
  | { readonly kind: 'error'; readonly requestId: string; readonly type: string; readonly message: string }
  | { readonly kind: 'unloadable'; readonly type: string; readonly message: string };

type Handler = (event: unknown, context: unknown) => unknown;

const port = parentPort;
if (!port) throw new Error('runs in a worker thread only');
const tell = (report: Report): void => (workerData as Birth).reports.postMessage(report);

/** Lambda writes the whole error to the log and hands the caller its type and message. */
const explain = (thrown: unknown): { type: string; message: string } => {
  const error = thrown instanceof Error ? thrown : new Error(String(thrown));
  console.error(error);
  return { type: error.name || 'Error', message: error.message };
};

const load = ({ bundle, handler, cache }: Birth): Handler => {
  enableCompileCache(cache);
  const found = (createRequire(bundle)(bundle) as Record<string, unknown>)[handler];
  if (typeof found !== 'function') {
    throw Object.assign(new Error(`index.${handler} is undefined or not exported`), { name: 'Runtime.HandlerNotFound' });
  }
  return found as Handler;
};

const contextOf = ({ requestId, deadlineMs }: Order) => ({
  awsRequestId: requestId,
  callbackWaitsForEmptyEventLoop: true,
  functionName: process.env.AWS_LAMBDA_FUNCTION_NAME,
  functionVersion: '$LATEST',
  invokedFunctionArn: (workerData as Birth).arn,
  memoryLimitInMB: process.env.AWS_LAMBDA_FUNCTION_MEMORY_SIZE,
  logGroupName: process.env.AWS_LAMBDA_LOG_GROUP_NAME,
  logStreamName: process.env.AWS_LAMBDA_LOG_STREAM_NAME,
  getRemainingTimeInMillis: () => Math.max(0, deadlineMs - Date.now()),
});

const answer = async (handler: Handler, order: Order): Promise<void> => {
  try {
    const result = await handler(JSON.parse(order.event), contextOf(order));
    tell({ kind: 'result', requestId: order.requestId, result: JSON.stringify(result) ?? 'null' });
  } catch (error) {
    tell({ kind: 'error', requestId: order.requestId, ...explain(error) });
  }
};

try {
  const handler = load(workerData as Birth);
  // Stored after the first event, with the code it compiled: the next instance finds it, not only those after a restart of the stage.
  let isStored = false;
  port.on('message', async (order: Order) => {
    await answer(handler, order);
    if (!isStored) flushCompileCache();
    isStored = true;
  });
  tell({ kind: 'ready' });
} catch (error) {
  tell({ kind: 'unloadable', ...explain(error) });
  // Ends the thread once the report is out: without a listener nothing keeps it alive.
  port.unref();
}
