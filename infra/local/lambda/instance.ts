/** One instance of a function: a thread with the template's environment and nothing of the host's, one event at a time. */
import { randomUUID } from 'node:crypto';
import { Worker } from 'node:worker_threads';
import { FunctionError, type FunctionSpec } from './function.ts';
import type { FunctionLog } from './log.ts';
import type { Birth, Order, Report } from './worker.ts';

export interface Surroundings {
  /** The bundled worker.ts. */
  readonly worker: string;
  /** The bundle of an entry. */
  readonly bundleOf: (entry: string) => string;
  readonly cache: string;
  readonly region: string;
  /** Where every AWS call goes. */
  readonly endpoint: string;
  readonly log: (functionName: string) => FunctionLog;
}

export interface Instance {
  /** Runs one event. Rejects with a FunctionError; after a timeout or a crash the instance is dead. */
  run(event: string): Promise<string>;
  readonly isDead: () => boolean;
  stop(): Promise<void>;
}

/** Loading a bundle takes a tenth of a second; one that has not loaded by then never will. Lambda waits 10 s. */
const initMaxMs = 20_000;

/** Lambda takes and gives at most this much in a synchronous call. */
export const payloadMaxBytes = 6 * 1024 * 1024;

export const startInstance = (spec: FunctionSpec, around: Surroundings): Instance => {
  const log = around.log(spec.name);
  const birth: Birth & { arn: string } = {
    bundle: around.bundleOf(spec.entry),
    handler: spec.handler,
    cache: around.cache,
    arn: spec.arn,
  };
  const worker = new Worker(around.worker, {
    env: environmentOf(spec, around),
    workerData: birth,
    stdout: true,
    stderr: true,
    resourceLimits: { maxOldGenerationSizeMb: spec.memoryMb },
  });
  worker.stdout.on('data', log.write);
  worker.stderr.on('data', log.write);

  let dead: FunctionError | undefined;
  let pending: { requestId: string; done: (result: string) => void; fail: (error: FunctionError) => void } | undefined;
  let settleReady: { done: () => void; fail: (error: FunctionError) => void } | undefined;
  const ready = new Promise<void>((done, fail) => {
    settleReady = { done, fail };
  });
  ready.catch(() => {});
  const loading = setTimeout(() => {
    die(new FunctionError('timed-out', 'Sandbox.Timedout', `the function did not load within ${initMaxMs} ms`));
    void worker.terminate();
  }, initMaxMs);

  const die = (error: FunctionError): void => {
    dead ??= error;
    clearTimeout(loading);
    settleReady?.fail(error);
    pending?.fail(error);
    pending = undefined;
  };
  worker.on('message', (report: Report) => {
    if (report.kind === 'ready') {
      clearTimeout(loading);
      settleReady?.done();
    } else if (report.kind === 'error' && report.requestId === undefined)
      die(new FunctionError('threw', report.type, report.message));
    else if (pending && pending.requestId === report.requestId) {
      const { done, fail } = pending;
      pending = undefined;
      if (report.kind === 'result') done(report.result);
      else fail(new FunctionError('threw', report.type, report.message));
    }
  });
  worker.on('error', (error: unknown) => {
    const known = error instanceof Error ? error : new Error(String(error));
    log.write(`${known.stack ?? known.message}\n`);
    die(new FunctionError('crashed', known.name, known.message));
  });
  worker.on('exit', (code) => die(new FunctionError('crashed', 'Runtime.ExitError', `the runtime exited with status ${code}`)));

  const run = async (event: string): Promise<string> => {
    if (Buffer.byteLength(event) > payloadMaxBytes) {
      throw new FunctionError('too-large', 'RequestTooLargeException', `an event may have at most ${payloadMaxBytes} bytes`);
    }
    await ready;
    if (dead) throw dead;
    const requestId = randomUUID();
    const startedMs = Date.now();
    const limitMs = spec.timeoutSeconds * 1_000;
    const order: Order = { requestId, event, deadlineMs: startedMs + limitMs };
    let timer: NodeJS.Timeout | undefined;
    try {
      const result = await new Promise<string>((done, fail) => {
        pending = { requestId, done, fail };
        timer = setTimeout(() => {
          die(
            new FunctionError('timed-out', 'Sandbox.Timedout', `Task timed out after ${spec.timeoutSeconds.toFixed(2)} seconds`),
          );
          void worker.terminate();
        }, limitMs);
        worker.postMessage(order);
      });
      if (Buffer.byteLength(result) > payloadMaxBytes) {
        const text = `a result may have at most ${payloadMaxBytes} bytes`;
        throw new FunctionError('too-large', 'Function.ResponseSizeTooLarge', text);
      }
      log.write(`REPORT RequestId: ${requestId} Duration: ${Date.now() - startedMs} ms\n`);
      return result;
    } catch (error) {
      log.write(`REPORT RequestId: ${requestId} Duration: ${Date.now() - startedMs} ms Error: ${(error as Error).name}\n`);
      throw error;
    } finally {
      clearTimeout(timer);
    }
  };

  return {
    run,
    isDead: () => dead !== undefined,
    stop: async () => {
      await worker.terminate();
    },
  };
};

/** What Lambda sets, the template's own, and the one variable a developer behind a proxy needs. */
const environmentOf = (spec: FunctionSpec, around: Surroundings): Record<string, string> => ({
  ...spec.environment,
  AWS_REGION: around.region,
  AWS_DEFAULT_REGION: around.region,
  AWS_ENDPOINT_URL: around.endpoint,
  AWS_ACCESS_KEY_ID: spec.accessKeyId,
  AWS_SECRET_ACCESS_KEY: 'local',
  // The developer's own profiles and the metadata address of a cloud machine are no business of a function.
  AWS_CONFIG_FILE: '/dev/null',
  AWS_SHARED_CREDENTIALS_FILE: '/dev/null',
  AWS_EC2_METADATA_DISABLED: 'true',
  AWS_EXECUTION_ENV: 'AWS_Lambda_nodejs24.x',
  AWS_LAMBDA_FUNCTION_NAME: spec.name,
  AWS_LAMBDA_FUNCTION_VERSION: '$LATEST',
  AWS_LAMBDA_FUNCTION_MEMORY_SIZE: String(spec.memoryMb),
  AWS_LAMBDA_LOG_GROUP_NAME: `/aws/lambda/${spec.name}`,
  AWS_LAMBDA_LOG_STREAM_NAME: 'local',
  _HANDLER: `index.${spec.handler}`,
  TZ: ':UTC',
  ...(process.env.NODE_EXTRA_CA_CERTS && { NODE_EXTRA_CA_CERTS: process.env.NODE_EXTRA_CA_CERTS }),
});
