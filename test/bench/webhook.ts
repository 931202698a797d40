/** How many webhooks one core delivers. */
import { fileURLToPath } from 'node:url';
import { measureSpeed } from './webhook/speed.ts';

export const measureWebhooks = async (dir: string): Promise<boolean> => {
  // Read by Node when a process starts: those that are started from here trust the receivers.
  process.env.NODE_EXTRA_CA_CERTS = fileURLToPath(new URL('../fixture/tls/ca.pem', import.meta.url));
  return measureSpeed(dir);
};
