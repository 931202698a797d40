import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';

/** Connections per store. */
export const socketsMax = 16;
const options = { keepAlive: true, maxSockets: socketsMax };

/** Connections to one store, for URLs that need no guard. */
export const agentFor = (url: string): HttpAgent => (url.startsWith('https:') ? new HttpsAgent(options) : new HttpAgent(options));
