import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** A proxy that cuts a connection once, after a number of response bytes. */
export const startCutter = async (port: number) => {
  let remaining = Number.POSITIVE_INFINITY;
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    const upstream = connect(port, '127.0.0.1');
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on('error', () => {});
      socket.on('close', () => {
        sockets.delete(socket);
        client.destroy();
        upstream.destroy();
      });
    }
    client.pipe(upstream);
    upstream.on('data', (chunk) => {
      const part = chunk.subarray(0, Math.min(remaining, chunk.length));
      remaining -= part.length;
      client.write(part);
      if (remaining > 0) return;
      remaining = Number.POSITIVE_INFINITY;
      client.destroySoon();
    });
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    cutAfter: (bytes: number): void => {
      remaining = bytes;
    },
    close: async (): Promise<void> => {
      for (const socket of sockets) socket.destroy();
      await new Promise((done) => server.close(done));
    },
  };
};
