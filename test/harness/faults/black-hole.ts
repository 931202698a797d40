import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** A TCP proxy whose connections can fall silent: they stay open but forward nothing. */
export const startBlackHole = async (port: number) => {
  const pairs = new Set<readonly [Socket, Socket]>();
  let opened = 0;
  const server = createServer((near) => {
    opened += 1;
    const far = connect(port, '127.0.0.1');
    const pair = [near, far] as const;
    pairs.add(pair);
    for (const socket of pair) {
      socket.on('error', () => {});
      socket.on('close', () => {
        pairs.delete(pair);
        near.destroy();
        far.destroy();
      });
    }
    near.pipe(far);
    far.pipe(near);
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    /** Connections accepted so far. */
    opened: () => opened,
    /** Open connections stop forwarding; new ones work. */
    swallow: (): void => {
      for (const [near, far] of pairs) {
        near.unpipe(far);
        far.unpipe(near);
        // Reads and drops the data: writes of the peer succeed, as in a network that loses every packet.
        near.resume();
        far.resume();
      }
    },
    close: async (): Promise<void> => {
      for (const [near, far] of pairs) {
        near.destroy();
        far.destroy();
      }
      await new Promise((done) => server.close(done));
    },
  };
};
