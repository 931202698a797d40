/** The connections to AWS that all clients of a container share, and how long one request may take. */
import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import { NodeHttpHandler } from '@smithy/node-http-handler';

/** Limits of one try. Without them a lost connection would use up the function's whole time. */
export const tryLimits = { connectMs: 1_000, requestMs: 3_000 } as const;

const agentOptions = { keepAlive: true, maxSockets: 100 } as const;

/**
 * Ends a connection that is not made in time. The timer starts with the connection: the handler's own `connectionTimeout` starts with
 * the request, and so fails requests that only wait for one of the sockets.
 */
const limitConnecting = <A extends HttpAgent>(agent: A): A => {
  const connect = agent.createConnection.bind(agent);
  agent.createConnection = (options, callback) => {
    const socket = connect(options, callback);
    if (!socket) return socket;
    const timeoutError = Object.assign(new Error('no connection in time'), { code: 'ETIMEDOUT' });
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
  // The request timeout ends with the response's headers; this one covers a body that stalls.
  socketTimeout: tryLimits.requestMs,
});

/** The way to the network. Tests replace `handle` to answer requests in their own process. */
export const wire: Pick<NodeHttpHandler, 'handle'> = {
  handle: (request, options) => network.handle(request, options),
};

/** The `requestHandler` of every client. A client cannot change its settings, because all clients share it. */
export const requestHandler = {
  metadata: network.metadata,
  handle: (...given: Parameters<NodeHttpHandler['handle']>): ReturnType<NodeHttpHandler['handle']> => wire.handle(...given),
  updateHttpClientConfig: (): void => undefined,
  httpHandlerConfigs: () => ({}),
};
