/** One instance of a function: a thread with the template's environment only. It handles one event at a time. */
import { randomUUID } from 'node:crypto';
import type { FunctionLog } from './function-log.ts';
import { FunctionError, type FunctionSpec } from './function-spec.ts';
import { startThread } from './thread.ts';

export interface LambdaHostOptions {
  /** The path of the bundled worker.ts. */
  readonly worker: string;
  /** The bundle of a function, and where Node may cache its compiled code. */
  readonly bundleOf: (entry: string) => { readonly file: string; readonly cache: string };
  /** Settles once the bundle exists; undefined if it does. */
  readonly whenBundled?: ((entry: string) => Promise<void> | undefined) | undefined;
  readonly region: string;
  readonly endpoint: string;
  /** What functions reserve is taken from it. Default: unlimited. */
  readonly accountConcurrency?: number | undefined;
  readonly log: (spec: FunctionSpec) => FunctionLog;
}

export interface Instance {
  /** Runs one event. Rejects with a FunctionError. After a timeout or a crash the instance is dead. */
  run(event: string): Promise<string>;
  readonly isDead: () => boolean;
  stop(): Promise<void>;
}

/** Loading takes about 100 ms, so a bundle that has not loaded by now never will. Lambda waits 10 s. */
const initMaxMs = 20_000;

/** Lambda's limit for a synchronous call. */
const payloadMaxBytes = 6 * 1024 * 1024;

export const startInstance = (spec: FunctionSpec, options: LambdaHostOptions): Instance => {
  const log = options.log(spec);
  const { file: bundle, cache } = options.bundleOf(spec.entry);
  const workerData = { bundle, handler: spec.handler, cache, arn: spec.arn };
  const resourceLimits = { maxOldGenerationSizeMb: spec.memoryMb };
  const thread = startThread(options.worker, { workerData, options: { env: environmentOf(spec, options), resourceLimits }, log });
  const late = (text: string): FunctionError => new FunctionError('timed-out', 'Sandbox.Timedout', text);

  const within = async <T>(limitMs: number, error: FunctionError, work: Promise<T>): Promise<T> => {
    const timer = setTimeout(() => thread.kill(error), limitMs);
    return work.finally(() => clearTimeout(timer));
  };
  const loaded = within(initMaxMs, late(`the function did not load within ${initMaxMs} ms`), thread.ready);
  loaded.catch(() => {});

  const run = async (event: string): Promise<string> => {
    if (Buffer.byteLength(event) > payloadMaxBytes) throw tooLarge('RequestTooLargeException', 'an event');
    await loaded;
    const requestId = randomUUID();
    const startedMs = Date.now();
    const limitMs = spec.timeoutSeconds * 1_000;
    const report = (outcome: string): void =>
      log.write(`REPORT RequestId: ${requestId} Duration: ${Date.now() - startedMs} ms${outcome}\n`);
    try {
      const error = late(`Task timed out after ${spec.timeoutSeconds.toFixed(2)} seconds`);
      const result = await within(limitMs, error, thread.send({ requestId, event, deadlineMs: startedMs + limitMs }));
      if (Buffer.byteLength(result) > payloadMaxBytes) throw tooLarge('Function.ResponseSizeTooLarge', 'a result');
      report('');
      return result;
    } catch (error) {
      report(` Error: ${(error as Error).name}`);
      throw error;
    }
  };
  return { run, isDead: thread.isDead, stop: thread.stop };
};

const tooLarge = (type: string, what: string): FunctionError =>
  new FunctionError('too-large', type, `${what} must not exceed ${payloadMaxBytes} bytes`);

/** Lambda's variables, the template's variables, and the certificates for developers behind a proxy. */
const environmentOf = (spec: FunctionSpec, options: LambdaHostOptions): Record<string, string> => ({
  ...spec.environment,
  AWS_REGION: options.region,
  AWS_DEFAULT_REGION: options.region,
  AWS_ENDPOINT_URL: options.endpoint,
  AWS_ACCESS_KEY_ID: spec.accessKeyId,
  AWS_SECRET_ACCESS_KEY: 'local',
  // Functions must not read the developer's AWS profiles or a cloud machine's metadata endpoint.
  AWS_CONFIG_FILE: '/dev/null',
  AWS_SHARED_CREDENTIALS_FILE: '/dev/null',
  AWS_EC2_METADATA_DISABLED: 'true',
  AWS_EXECUTION_ENV: 'AWS_Lambda_nodejs24.x',
  AWS_LAMBDA_FUNCTION_NAME: spec.name,
  AWS_LAMBDA_FUNCTION_VERSION: '$LATEST',
  AWS_LAMBDA_FUNCTION_MEMORY_SIZE: String(spec.memoryMb),
  AWS_LAMBDA_LOG_GROUP_NAME: spec.logGroup,
  AWS_LAMBDA_LOG_STREAM_NAME: 'local',
  _HANDLER: `index.${spec.handler}`,
  TZ: ':UTC',
  ...(process.env.NODE_EXTRA_CA_CERTS && { NODE_EXTRA_CA_CERTS: process.env.NODE_EXTRA_CA_CERTS }),
});
