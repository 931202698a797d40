/** Runs a function's handler in the test's process on the stage's AWS, and records its table calls. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { stageVariable } from '../stage/client.ts';

/** Long enough that concurrent calls overlap. */
const latencyMs = 50;

interface Seen {
  readonly action: string;
  readonly startedMs: number;
  endedMs: number;
}

export interface ObservedAws {
  /** Discards the calls so far. */
  begin(): void;
  /** The number of times the handler waited for the table. Concurrent calls are one wait. */
  roundTrips(): { readonly count: number; readonly actions: readonly string[] };
  /** Makes this action of DynamoDB fail as if the service were down; undefined ends it. */
  fail(action: string | undefined): void;
  stop(): void;
}

export const observeAws = async (): Promise<ObservedAws> => {
  let seen: Seen[] = [];
  let failing: string | undefined;
  const server = createServer(async (request, response) => {
    const body = Buffer.concat(await request.toArray());
    const [service = '', action = ''] = String(request.headers['x-amz-target']).split('.');
    const call: Seen = { action, startedMs: performance.now(), endedMs: Number.POSITIVE_INFINITY };
    if (service.startsWith('DynamoDB')) seen.push(call);
    if (action === failing) {
      const fault = { __type: 'com.amazonaws.dynamodb.v20120810#InternalServerError', message: 'down' };
      response.writeHead(500, { 'content-type': 'application/x-amz-json-1.0' }).end(JSON.stringify(fault));
      return;
    }
    const { host: _host, connection: _connection, 'content-length': _length, ...headers } = request.headers;
    const answer = await fetch(stageVariable('STAGE_AWS_URL'), {
      method: 'POST',
      headers: headers as Record<string, string>,
      body,
    });
    const bytes = Buffer.from(await answer.arrayBuffer());
    await pause(latencyMs);
    call.endedMs = performance.now();
    response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? '' }).end(bytes);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  Object.assign(process.env, {
    AWS_ENDPOINT_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    AWS_REGION: stageVariable('STAGE_REGION'),
    AWS_ACCESS_KEY_ID: stageVariable('STAGE_AWS_KEY'),
    AWS_SECRET_ACCESS_KEY: 'local',
    TABLE_NAME: stageVariable('STAGE_TABLE'),
    POWERTOOLS_LOG_LEVEL: 'SILENT',
  });
  return {
    begin: () => {
      seen = [];
    },
    roundTrips: () => {
      let waitingUntilMs = Number.NEGATIVE_INFINITY;
      let count = 0;
      for (const { startedMs, endedMs } of seen) {
        if (startedMs >= waitingUntilMs) count++;
        waitingUntilMs = startedMs >= waitingUntilMs ? endedMs : Math.max(waitingUntilMs, endedMs);
      }
      return { count, actions: seen.map(({ action }) => action) };
    },
    fail: (action) => {
      failing = action;
    },
    stop: () => {
      server.close();
      server.closeAllConnections();
    },
  };
};
