import type { IncomingMessage } from 'node:http';

export const readBody = (message: IncomingMessage): Promise<Buffer> =>
  new Promise((resolve, reject) => {
    const parts: Buffer[] = [];
    message.on('data', (part: Buffer) => parts.push(part));
    message.once('error', reject);
    message.once('end', () => resolve(Buffer.concat(parts)));
  });
