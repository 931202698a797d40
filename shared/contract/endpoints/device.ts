/** Sign-in of a machine without a browser, as in RFC 8628: the machine shows a code, and a person confirms it in the console. */
import * as z from 'zod/mini';
import { apiPrefix, group } from '../endpoint.ts';
import { Moment, Name, ShownName } from '../fields.ts';
import { TokenSet } from './auth.ts';

/** Case and separators do not matter: people type what they read. */
const UserCode = z.string().check(
  z.maxLength(32, 'must be at most 32 characters'),
  z.refine((code) => /^[a-z]{8}$/i.test(code.replaceAll(/[^a-z\d]/gi, '')), 'must be the eight letters that the device shows'),
  z.meta({ examples: ['WDJB-MJHT'] }),
);

export const DeviceCode = z.object({
  deviceCode: z.string(),
  userCode: z.string(),
  verificationUri: z.string(),
  verificationUriComplete: z.string(),
  expiresIn: z.int(),
  interval: z.int(),
});

export const DeviceRequest = z.object({
  clientName: z.nullable(ShownName),
  ip: z.nullable(z.string()),
  location: z.nullable(z.string()),
  userAgent: z.nullable(z.string()),
  createdAt: Moment,
  expiresAt: Moment,
});

export const device = group('device', `${apiPrefix}/auth/device`, {
  start: {
    route: 'POST',
    access: 'public',
    summary: 'Start the sign-in of a device (RFC 8628): returns a code that a person enters in the console',
    body: z.strictObject({ clientName: z.optional(Name) }),
    bodyOptional: true,
    data: DeviceCode,
    requestsPerMinute: 60,
    capabilities: ['table:write', 'secret:service', 'link:make'],
  },
  token: {
    route: 'POST /token',
    access: 'public',
    summary: 'Exchange the device code for tokens once a person has approved it; poll it every `interval` seconds',
    body: z.strictObject({ deviceCode: z.string('must be the deviceCode of the start').check(z.minLength(1), z.maxLength(512)) }),
    data: TokenSet,
    errors: ['AUTHORIZATION_PENDING', 'SLOW_DOWN', 'EXPIRED_TOKEN', 'UNAUTHORIZED', 'ACCESS_DENIED'],
    audit: 'auth.signed_in',
    capabilities: ['table:write', 'token:sign'],
  },
  show: {
    route: 'GET',
    access: 'user',
    summary: 'Show which device waits for this code',
    query: z.strictObject({ userCode: UserCode }),
    data: DeviceRequest,
    errors: ['NOT_FOUND'],
    requestsPerMinute: 20,
    capabilities: ['table:read', 'secret:service'],
  },
  decide: {
    route: 'POST /decision',
    access: 'browser',
    summary: 'Approve or deny the sign-in of the device that waits for this code',
    body: z.strictObject({ userCode: UserCode, decision: z.enum(['approve', 'deny']) }),
    data: z.object({ status: z.enum(['approved', 'denied']) }),
    errors: ['NOT_FOUND'],
    audit: 'auth.device_approved',
    requestsPerMinute: 20,
    capabilities: ['table:write', 'secret:service'],
  },
});
