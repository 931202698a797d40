/** The deployment configuration of the local stage. */
import { webhooksPerOrganizationMax } from '../../../shared/contract/limits.ts';
import type { ConfigInput } from '../../config.ts';

/** A bucket that exists in every local store from the start, with Object Lock. The demo's backups are stored there, too. */
export const demoBucket = 'demo-backups';

const loopback = ['localhost', '127.0.0.1', '[::1]'];

/** Common redirect paths of apps in development. Loopback addresses match on any port. */
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

/** The addresses of the stage's parts, known before synthesis. */
export interface Addresses {
  readonly apiUrl: string;
  readonly identityUrl: string;
  /** Serves documents and Firebase Authentication users. */
  readonly firestoreUrl: string;
  /** Destinations of type s3 and spaces use the same buckets. */
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
    // Loopback addresses that a customer may use as an endpoint.
    privateHosts: [...loopback.flatMap((host) => storePorts.map((port) => `${host}:${port}`)), ...allowedHosts],
    webhookHosts: [...allowedHosts],
    firestoreUrl,
    identityToolkitUrl: firestoreUrl,
    firebaseRulesUrl: firestoreUrl,
    googleTokenUrl: `${identityUrl}/google/token`,
    googleStsUrl: `${identityUrl}/google/sts/v1/token`,
    googleCredentialsUrl: `${identityUrl}/google/credentials`,
    identityIssuer: identityUrl,
    identityClientId: 'local-stage',
    mailFrom: 'backups@example.com',
    webhooksPerOrganization: webhooksPerOrganizationMax,
    consoleUrl: `${apiUrl}/console`,
    allowedOrigins: [...new Set([apiUrl, 'http://localhost:3000', 'http://localhost:5173', 'https://app.example.com'])],
    allowedRedirectUris: [
      ...loopback.flatMap((host) => redirectPaths.map((path) => `http://${host}${path}`)),
      'https://app.example.com/callback',
    ],
  };
};
