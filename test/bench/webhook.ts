/** How many webhooks one core delivers, how soon they are there, and what dead endpoints cost those that live. */
import { fileURLToPath } from 'node:url';
import { measureLatency } from './webhook/latency.ts';
import { measureSpeed } from './webhook/speed.ts';

export const measureWebhooks = async (dir: string): Promise<boolean> => {
  // Read by Node when a process starts: those that are started from here trust the receivers.
  process.env.NODE_EXTRA_CA_CERTS = fileURLToPath(new URL('../fixture/tls/ca.pem', import.meta.url));
  const met = [await measureSpeed(dir), await measureLatency(dir)];
  return met.every(Boolean);
};
