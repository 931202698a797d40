/** The deployer's choices, as the local stage makes them. */
import { webhooksPerOrganizationMax } from '../../../shared/contract/limits.ts';
import type { ConfigInput } from '../../config.ts';

/** A bucket in every store, from the start. */
export const demoBucket = 'demo-backups';

const loopback = ['localhost', '127.0.0.1', '[::1]'];

/** Where apps under development usually wait for a code. Loopback addresses match on any port. */
const redirectPaths = [
  '/',
  '/callback',
  '/cb',
  '/auth/callback',
  '/oauth/callback',
  '/login/callback',
  '/auth/google/callback',
  '/oauth2/callback',
  '/redirect',
  '/done',
  '/code',
  '/app',
  '/app/callback',
];

/** Where the parts of the stage are; known before the template is made. */
export interface Addresses {
  readonly apiUrl: string;
  readonly identityUrl: string;
  /** Documents and the users of Firebase Authentication alike. */
  readonly firestoreUrl: string;
  /** Buckets of the kinds s3 and spaces; the same ones. */
  readonly s3Url: string;
  readonly gcsUrl: string;
}

export const localConfig = (addresses: Addresses, allowedHosts: readonly string[]): ConfigInput => {
  const { apiUrl, identityUrl, firestoreUrl, s3Url, gcsUrl } = addresses;
  const storePorts = [s3Url, gcsUrl].map((url) => new URL(url).port);
  return {
    s3Url,
    spacesUrl: s3Url,
    gcsUrl,
    // What a customer may name as an endpoint although it is on this machine.
    privateHosts: [...loopback.flatMap((host) => storePorts.map((port) => `${host}:${port}`)), ...allowedHosts],
    webhookHosts: [...allowedHosts],
    firestoreUrl,
    identityToolkitUrl: firestoreUrl,
    googleTokenUrl: `${identityUrl}/google/token`,
    identityIssuer: identityUrl,
    identityClientId: 'local-stage',
    mailFrom: 'backups@example.com',
    webhooksPerOrganization: webhooksPerOrganizationMax,
    consoleUrl: `${apiUrl}/docs`,
    allowedOrigins: [...new Set([apiUrl, 'http://localhost:3000', 'http://localhost:5173', 'https://app.example.com'])],
    allowedRedirectUris: [
      ...loopback.flatMap((host) => redirectPaths.map((path) => `http://${host}${path}`)),
      'https://app.example.com/callback',
    ],
  };
};
