/** Forwards a call to an engine over HTTP with keep-alive connections. */
import { Agent, request } from 'node:http';
import type { Answer } from '../../base/aws-service.ts';
import { readBody } from '../../base/read-body.ts';

interface UpstreamCall {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer | string;
}

export const openHttpUpstream = (port: number) => {
  const agent = new Agent({ keepAlive: true, maxFreeSockets: 64 });
  const send = (message: UpstreamCall): Promise<Answer> =>
    new Promise((resolve, reject) => {
      const { method, path, body } = message;
      const headers = { ...message.headers, 'content-length': Buffer.byteLength(body) };
      const call = request({ agent, host: '127.0.0.1', port, method, path, headers });
      call.once('error', (error: NodeJS.ErrnoException) => {
        // The engine closed an idle connection just as it was reused: nothing was processed, so retrying is safe.
        if (call.reusedSocket && error.code === 'ECONNRESET') resolve(send(message));
        else reject(error);
      });
      call.once('response', (response) => {
        const { statusCode: status = 500, headers: received } = response;
        readBody(response).then((body) => resolve({ status, headers: passed(received), body }), reject);
      });
      call.end(body);
    });
  return { send, close: () => agent.destroy() };
};

// Headers of the connection to the engine, not of the response.
const ownHeaders = new Set(['connection', 'keep-alive', 'transfer-encoding', 'content-length', 'date', 'server']);

const passed = (headers: NodeJS.Dict<string | string[]>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      value === undefined || ownHeaders.has(name) ? [] : [[name, String(value)]],
    ),
  );
