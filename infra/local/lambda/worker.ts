/**
 * Runs inside an instance's thread: loads the bundle once, then handles events one by one.
 * Events and results are passed as JSON text, as on Lambda, so values that JSON cannot represent are lost here too.
 */
import { createRequire, enableCompileCache, flushCompileCache } from 'node:module';
import { type MessagePort, parentPort, workerData } from 'node:worker_threads';

export interface WorkerData {
  readonly bundle: string;
  readonly handler: string;
  /** Folder of the compile cache, which makes the second start of a bundle a quarter faster. */
  readonly cache: string;
  readonly arn: string;
  readonly reports: MessagePort;
}

export interface WorkerOrder {
  readonly requestId: string;
  readonly event: string;
  readonly deadlineMs: number;
}

export type WorkerReport =
  | { readonly kind: 'ready' }
  | { readonly kind: 'result'; readonly requestId: string; readonly result: string }
  | { readonly kind: 'error'; readonly requestId: string; readonly type: string; readonly message: string }
  | { readonly kind: 'unloadable'; readonly type: string; readonly message: string };

type Handler = (event: unknown, context: unknown) => unknown;

const port = parentPort;
if (!port) throw new Error('runs in a worker thread only');
const tell = (report: WorkerReport): void => (workerData as WorkerData).reports.postMessage(report);

/** As on Lambda: the complete error goes to the log, the caller gets its type and message. */
const explain = (thrown: unknown): { type: string; message: string } => {
  const error = thrown instanceof Error ? thrown : new Error(String(thrown));
  console.error(error);
  return { type: error.name || 'Error', message: error.message };
};

const load = ({ bundle, handler, cache }: WorkerData): Handler => {
  enableCompileCache(cache);
  const found = (createRequire(bundle)(bundle) as Record<string, unknown>)[handler];
  if (typeof found !== 'function') {
    throw Object.assign(new Error(`index.${handler} is undefined or not exported`), { name: 'Runtime.HandlerNotFound' });
  }
  return found as Handler;
};

const contextOf = ({ requestId, deadlineMs }: WorkerOrder) => ({
  awsRequestId: requestId,
  callbackWaitsForEmptyEventLoop: true,
  functionName: process.env.AWS_LAMBDA_FUNCTION_NAME,
  functionVersion: '$LATEST',
  invokedFunctionArn: (workerData as WorkerData).arn,
  memoryLimitInMB: process.env.AWS_LAMBDA_FUNCTION_MEMORY_SIZE,
  logGroupName: process.env.AWS_LAMBDA_LOG_GROUP_NAME,
  logStreamName: process.env.AWS_LAMBDA_LOG_STREAM_NAME,
  getRemainingTimeInMillis: () => Math.max(0, deadlineMs - Date.now()),
});

const answer = async (handler: Handler, order: WorkerOrder): Promise<void> => {
  try {
    const result = await handler(JSON.parse(order.event), contextOf(order));
    tell({ kind: 'result', requestId: order.requestId, result: JSON.stringify(result) ?? 'null' });
  } catch (error) {
    tell({ kind: 'error', requestId: order.requestId, ...explain(error) });
  }
};

try {
  const handler = load(workerData as WorkerData);
  // Stored after the first event, with the code it compiled: the next instance finds it, not only those after a restart of the stage.
  let isStored = false;
  port.on('message', async (order: WorkerOrder) => {
    await answer(handler, order);
    if (!isStored) flushCompileCache();
    isStored = true;
  });
  tell({ kind: 'ready' });
} catch (error) {
  tell({ kind: 'unloadable', ...explain(error) });
  // Lets the thread end once the report is sent: no listener keeps it alive.
  port.unref();
}
