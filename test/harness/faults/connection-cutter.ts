import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** A proxy that cuts a connection once, after a number of response bytes. */
export const startCutter = async (port: number) => {
  let left = Number.POSITIVE_INFINITY;
  const sockets = new Set<Socket>();
  const server = createServer((near) => {
    const far = connect(port, '127.0.0.1');
    for (const socket of [near, far]) {
      sockets.add(socket);
      socket.on('error', () => {});
      socket.on('close', () => {
        sockets.delete(socket);
        near.destroy();
        far.destroy();
      });
    }
    near.pipe(far);
    far.on('data', (chunk) => {
      const part = chunk.subarray(0, Math.min(left, chunk.length));
      left -= part.length;
      near.write(part);
      if (left > 0) return;
      left = Number.POSITIVE_INFINITY;
      near.destroySoon();
    });
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    cutAfter: (bytes: number): void => {
      left = bytes;
    },
    close: async (): Promise<void> => {
      for (const socket of sockets) socket.destroy();
      await new Promise((done) => server.close(done));
    },
  };
};
