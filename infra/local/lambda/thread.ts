/** A worker thread that handles one order at a time. */
import { MessageChannel, receiveMessageOnPort, Worker, type WorkerOptions } from 'node:worker_threads';
import type { FunctionLog } from './function-log.ts';
import { FunctionError } from './function-spec.ts';
import type { WorkerData, WorkerOrder, WorkerReport } from './worker.ts';

interface Thread {
  /** Resolves when the bundle is loaded. */
  readonly ready: Promise<void>;
  /** The handler's result as JSON text. Rejects with a FunctionError. */
  send(order: WorkerOrder): Promise<string>;
  /** Ends the thread immediately; the order in flight fails with this error. */
  kill(error: FunctionError): void;
  readonly isDead: () => boolean;
  stop(): Promise<void>;
}

export const startThread = (
  file: string,
  {
    workerData,
    options,
    log,
  }: { readonly workerData: Omit<WorkerData, 'reports'>; readonly options: WorkerOptions; readonly log: FunctionLog },
): Thread => {
  const { port1: inbox, port2: reports } = new MessageChannel();
  const data: WorkerData = { ...workerData, reports };
  const worker = new Worker(file, { ...options, workerData: data, transferList: [reports], stdout: true, stderr: true });
  worker.stdout.on('data', log.write);
  worker.stderr.on('data', log.write);

  const loaded = Promise.withResolvers<void>();
  loaded.promise.catch(() => {});
  let underWay: (PromiseWithResolvers<string> & { requestId: string }) | undefined;
  let dead: FunctionError | undefined;
  const die = (error: FunctionError): void => {
    dead ??= error;
    loaded.reject(dead);
    underWay?.reject(dead);
    underWay = undefined;
  };

  const take = (report: WorkerReport): void => {
    if (report.kind === 'ready') loaded.resolve();
    else if (report.kind === 'unloadable') die(new FunctionError('threw', report.type, report.message));
    else if (report.requestId === underWay?.requestId) {
      const { resolve, reject } = underWay;
      underWay = undefined;
      if (report.kind === 'result') resolve(report.result);
      else reject(new FunctionError('threw', report.type, report.message));
    }
  };
  inbox.on('message', take);
  /** A thread's last message may arrive after its exit event. A response that was sent counts. */
  const hearOut = (): void => {
    for (let last = receiveMessageOnPort(inbox); last; last = receiveMessageOnPort(inbox)) take(last.message);
  };
  worker.on('error', (thrown: unknown) => {
    const error = thrown instanceof Error ? thrown : new Error(String(thrown));
    log.write(`${error.stack ?? error.message}\n`);
    hearOut();
    die(new FunctionError('crashed', error.name, error.message));
  });
  worker.on('exit', (code) => {
    hearOut();
    die(new FunctionError('crashed', 'Runtime.ExitError', `the runtime exited with status ${code}`));
    inbox.close();
  });

  return {
    ready: loaded.promise,
    send: (order) => {
      if (dead) return Promise.reject(dead);
      underWay = { ...Promise.withResolvers<string>(), requestId: order.requestId };
      worker.postMessage(order);
      return underWay.promise;
    },
    kill: (error) => {
      die(error);
      void worker.terminate();
    },
    isDead: () => dead !== undefined,
    stop: async () => {
      await worker.terminate();
    },
  };
};
