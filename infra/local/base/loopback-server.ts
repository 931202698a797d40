/**
 * HTTP servers on both loopback addresses only: the stage signs in anyone, so other machines must not reach it. A container sets `host`,
 * because what is published of it arrives on another address.
 */
import { createServer, type RequestListener, type Server, type ServerOptions } from 'node:http';
import { type AddressInfo, createServer as createNetServer, type Server as NetServer } from 'node:net';
import { StartError } from './settings.ts';

export interface Listener {
  readonly port: number;
  readonly url: string;
  stop(): Promise<void>;
}

/** `host`: the address to listen on instead of loopback. */
interface ListenOptions extends ServerOptions {
  readonly host?: string | undefined;
}

/** Longer than the keep-alive of browsers and fetch, so that the server never closes a connection in use. */
export const keepAliveTimeout = 65_000;

/** A port in use is reported in one line that names the port and its environment variable. */
export const listen = async (
  port: number,
  {
    variable,
    handler,
    options: { host, ...options } = {},
  }: { readonly variable: string; readonly handler: RequestListener; readonly options?: ListenOptions | undefined },
): Promise<Listener> => {
  const servers: Server[] = [];
  const open = async (address: string, wanted: number): Promise<number> => {
    const server = createServer({ keepAliveTimeout, ...options }, handler);
    await new Promise<void>((done, fail) => server.once('error', fail).listen(wanted, address, done));
    servers.push(server);
    return (server.address() as AddressInfo).port;
  };
  const openBoth = async (tries = 1): Promise<number> => {
    const chosen = await open('127.0.0.1', port);
    try {
      await open('::1', chosen);
    } catch (error) {
      // The machine has no IPv6.
      if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') return chosen;
      if (port !== 0 || tries === 5) throw error;
      await close(servers.splice(0));
      return openBoth(tries + 1);
    }
    return chosen;
  };
  try {
    const chosen = await (host === undefined ? openBoth() : open(host, port));
    return { port: chosen, url: `http://localhost:${chosen}`, stop: () => close(servers) };
  } catch (error) {
    await close(servers);
    throw explain(error as NodeJS.ErrnoException, port, variable);
  }
};

export interface LoopbackServer extends Listener {
  serve(handler: RequestListener): void;
}

/** Reserves a port before its listener exists; until then it answers 503. */
export const openLoopbackServer = async (
  port: number,
  variable: string,
  options: ListenOptions = {},
): Promise<LoopbackServer> => {
  let serving: RequestListener = (_request, response) => void response.writeHead(503).end();
  const server = await listen(port, { variable, handler: (request, response) => serving(request, response), options });
  return {
    ...server,
    serve: (handler) => {
      serving = handler;
    },
  };
};

/** A reserved port for a protocol other than HTTP. */
export interface Port {
  readonly server: NetServer;
  readonly url: string;
  stop(): Promise<void>;
}

export const openPort = async (port: number, variable: string, host = '127.0.0.1'): Promise<Port> => {
  const server = createNetServer({ noDelay: true });
  try {
    await new Promise<void>((done, fail) => server.once('error', fail).listen(port, host, done));
  } catch (error) {
    throw explain(error as NodeJS.ErrnoException, port, variable);
  }
  const stop = () => new Promise<void>((done) => server.close(() => done()));
  return { server, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, stop };
};

const explain = (error: NodeJS.ErrnoException, port: number, variable: string): Error => {
  if (error.code === 'EADDRINUSE') {
    return new StartError(`port ${port} is in use; stop the process that uses it, or set ${variable} to another port`, {
      cause: error,
    });
  }
  if (error.code === 'EACCES')
    return new StartError(`port ${port} needs privileges this process does not have; set ${variable} to another port`);
  return error;
};

const close = async (servers: readonly Server[]): Promise<void> => {
  const closed = servers.map((server) => new Promise((done) => server.close(done)));
  for (const server of servers) server.closeAllConnections();
  await Promise.all(closed);
};
