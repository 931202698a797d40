/** Connections to AWS, shared by all clients of a container, and the timeouts of one attempt. */
import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import { NodeHttpHandler } from '@smithy/node-http-handler';

/** Timeouts of one attempt. Without them a lost connection would use up the function's time. */
export const tryLimits = { connectMs: 1_000, requestMs: 3_000 } as const;

const agentOptions = { keepAlive: true, maxSockets: 100 } as const;

/**
 * Ends a connection that is not established in time. The timer starts with the connection. The handler's own `connectionTimeout` starts
 * with the request, so it would fail requests that only wait for a socket.
 */
const limitConnecting = <A extends HttpAgent>(agent: A): A => {
  const connect = agent.createConnection.bind(agent);
  agent.createConnection = (options, callback) => {
    const socket = connect(options, callback);
    if (!socket) return socket;
    const timeoutError = Object.assign(new Error('connection timeout'), { code: 'ETIMEDOUT' });
    const timer = setTimeout(() => socket.destroy(timeoutError), tryLimits.connectMs);
    const stop = (): void => clearTimeout(timer);
    socket.once('connect', stop).once('close', stop);
    return socket;
  };
  return agent;
};

const network = new NodeHttpHandler({
  httpAgent: limitConnecting(new HttpAgent(agentOptions)),
  httpsAgent: limitConnecting(new HttpsAgent(agentOptions)),
  requestTimeout: tryLimits.requestMs,
  // Without it the handler only logs a warning.
  throwOnRequestTimeout: true,
  // The request timeout ends with the response headers. This one covers a stalled body.
  socketTimeout: tryLimits.requestMs,
});

/** Tests replace `handle` to respond in their own process. */
export const wire: Pick<NodeHttpHandler, 'handle'> = { handle: (request, options) => network.handle(request, options) };

/** The `requestHandler` of every client. A client cannot change its settings, because all clients share it. */
export const requestHandler = {
  metadata: network.metadata,
  handle: (...args: Parameters<NodeHttpHandler['handle']>): ReturnType<NodeHttpHandler['handle']> => wire.handle(...args),
  updateHttpClientConfig: (): void => undefined,
  httpHandlerConfigs: () => ({}),
};
