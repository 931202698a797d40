/** AWS for tests without a stage: the test scripts the response of each action, and every call is recorded. */
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { log } from '../../../shared/platform/index.ts';

export type Input = Record<string, unknown>;

/** An error response of the service. */
export class Fault {
  readonly type: string;
  readonly status: number;
  readonly more: object;
  constructor(type: string, status = 400, more: object = {}) {
    this.type = type;
    this.status = status;
    this.more = more;
  }
}

export const cancelled = (...codes: readonly string[]): Fault =>
  new Fault('TransactionCanceledException', 400, {
    Message: 'Transaction cancelled',
    CancellationReasons: codes.map((Code) => ({ Code })),
  });

/** No response. */
export const silence = Symbol('silence');

/** Responses by action name. Services without action names use the empty name and the path. */
export type Script = Record<string, (input: Input, address?: string) => object | Fault | typeof silence>;

export interface ScriptedAws {
  readonly calls: { action: string; input: Input }[];
  /** The inputs of this action, in order. */
  sent(action: string): Input[];
  /** Replaces the script and discards the calls so far. */
  play(script: Script): void;
  stop(): void;
}

/** Starts a server that plays the script, and points AWS calls at it through environment variables. */
export const scriptAws = async (script: Script = {}): Promise<ScriptedAws> => {
  log.setLogLevel('SILENT');
  let current = script;
  const calls: { action: string; input: Input }[] = [];
  const server = createServer(async (request, response) => {
    const input = JSON.parse(Buffer.concat(await request.toArray()).toString() || '{}') as Input;
    const action = String(request.headers['x-amz-target']).split('.')[1] ?? '';
    calls.push({ action, input });
    const answer = current[action]?.(input, request.url ?? '') ?? new Fault('AccessDeniedException', 400);
    if (answer !== silence) reply(response, answer);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  Object.assign(process.env, {
    AWS_ENDPOINT_URL: url,
    AWS_REGION: 'eu-central-1',
    AWS_ACCESS_KEY_ID: 'TEST',
    AWS_SECRET_ACCESS_KEY: 'TEST',
    TABLE_NAME: 'Table',
    // An SDK client of a test sends to the host of the queue URL.
    TASK_QUEUE_URL: `${url}/1/Tasks`,
    SERVICE_SECRET_ID: 'secret',
    PLAN: 'starter',
    AUDIT_RETENTION_DAYS: '',
  });
  return {
    calls,
    sent: (action) => calls.filter((call) => call.action === action).map(({ input }) => input),
    play: (next) => {
      current = next;
      calls.length = 0;
    },
    stop: () => {
      server.close();
      server.closeAllConnections();
    },
  };
};

const reply = (response: ServerResponse, answer: object): void => {
  const isFault = answer instanceof Fault;
  response.statusCode = isFault ? answer.status : 200;
  response.setHeader('content-type', 'application/x-amz-json-1.0');
  response.end(
    JSON.stringify(isFault ? { __type: `com.amazonaws#${answer.type}`, message: answer.type, ...answer.more } : answer),
  );
};
