/** Child process: an HTTPS receiver that keeps connections open and answers 204. */
import { once } from 'node:events';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { certificate } from '../../harness/stage/receiver.ts';

const server = createServer({ ...certificate('localhost'), keepAliveTimeout: 600_000 }, (request, response) => {
  request.once('end', () => response.writeHead(204).end()).resume();
});
server.listen(0, 'localhost');
await once(server, 'listening');
process.send?.(`https://localhost:${(server.address() as AddressInfo).port}`);
process.on('disconnect', () => process.exit());
