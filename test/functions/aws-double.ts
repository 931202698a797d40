/** AWS for tests that need it to fail: each action answers what the test says, by the name of the action. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after } from 'node:test';

type Json = Record<string, unknown>;
/** Throwing is an answer with status 400 and the error's name as its code. */
export type Actions = Readonly<Record<string, (input: Json) => unknown>>;

/** Points the SDK at a server that answers these actions; an e-mail is the action SendEmail. Every call is recorded. */
export const startAws = async (actions: Actions) => {
  const calls: { action: string; input: Json }[] = [];
  const server = createServer(async (request, response) => {
    const input = JSON.parse(Buffer.concat(await request.toArray()).toString() || '{}') as Json;
    const action = String(request.headers['x-amz-target'] ?? '.SendEmail').split('.')[1]!;
    calls.push({ action, input });
    response.setHeader('content-type', 'application/x-amz-json-1.0');
    try {
      response.end(JSON.stringify((await actions[action]!(input)) ?? {}));
    } catch (error) {
      const { name, message } = error as Error;
      response.writeHead(400, { 'x-amzn-errortype': name }).end(JSON.stringify({ __type: name, message }));
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  after(() => {
    server.close();
    server.closeAllConnections();
  });
  Object.assign(process.env, {
    AWS_ENDPOINT_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    AWS_REGION: 'eu-central-1',
    AWS_ACCESS_KEY_ID: 'TEST',
    AWS_SECRET_ACCESS_KEY: 'TEST',
    // Logs are the function's, not the test's.
    POWERTOOLS_LOG_LEVEL: 'SILENT',
  });
  return { calls, of: (action: string) => calls.filter((call) => call.action === action).map(({ input }) => input) };
};
