/** Webhook deliveries per core, their latency, and the effect of dead endpoints on live ones. */
import { fileURLToPath } from 'node:url';
import { measureLatency } from './measure-latency.ts';
import { measureSpeed } from './measure-speed.ts';

export const measureWebhooks = async (dir: string): Promise<boolean> => {
  // Node reads this when a process starts: child processes trust the receivers.
  process.env.NODE_EXTRA_CA_CERTS = fileURLToPath(new URL('../../fixture/tls/ca.pem', import.meta.url));
  const met = [await measureSpeed(dir), await measureLatency(dir)];
  return met.every(Boolean);
};
