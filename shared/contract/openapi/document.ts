/** The description of the service, OpenAPI 3.1, made from the very rows the handlers run on. */

import type { Endpoint } from '../endpoint.ts';
import { type contract, endpoints } from '../index.ts';
import { version } from '../version.ts';
import { components } from './components.ts';
import { type Operation, operationOf } from './operation.ts';
import { webhooks } from './webhook-docs.ts';

export type Document = ReturnType<typeof describe>;

export const describe = () => ({
  openapi: '3.1.1',
  info: {
    title: 'Backup Management Service',
    version,
    summary: 'Backs up document databases into storage you own, and restores them',
    description: introduction,
    license: { name: 'Proprietary', identifier: 'LicenseRef-Proprietary' },
  },
  servers: [{ url: '/', description: 'The deployment that serves this description' }],
  tags: Object.values(tags),
  paths: paths(),
  webhooks: webhooks(),
  components: components(),
});

const introduction = `Everything belongs to an organization; calls within one name it in X-Organization-Id.

Answers are {success: true, data} or {success: true, message}; errors are {success: false, error: {code, message, details, requestId}}, or RFC 9457 with Accept: application/problem+json.

Lists answer newest first, with pagination {nextCursor, hasMore}; ask for the next page with cursor. Unknown fields are refused, so nothing is silently ignored.`;

const tags: Readonly<Record<keyof typeof contract, { name: string; description: string }>> = {
  auth: { name: 'Authentication', description: 'Signing in through the identity provider, and the tokens that follow' },
  organizations: { name: 'Organizations', description: 'What everything else belongs to' },
  members: { name: 'Members', description: 'Who belongs to the organization, and as what' },
  invites: { name: 'Invitations', description: 'Whom the organization has invited' },
  invitations: { name: 'Acceptance', description: "The invited person's side of an invitation" },
  serviceAccount: { name: 'Service account', description: 'The API key for calls from servers' },
  encryption: { name: 'Encryption', description: 'What wraps the data keys of backups' },
  projects: { name: 'Projects', description: 'The document databases that are backed up' },
  pitr: {
    name: 'Point-in-time recovery',
    description: 'Capturing every change, so that a project can be restored to any second',
  },
  storageDestinations: { name: 'Storage destinations', description: 'Your buckets, where backups go' },
  backups: { name: 'Backups', description: 'Making, checking and removing backups' },
  backupContents: { name: 'Contents of backups', description: 'Looking into backups, comparing and importing them' },
  restores: { name: 'Restores', description: 'Putting backups back, down to one document, and taking that back' },
  schedules: { name: 'Schedules', description: 'Backing up by itself, at the times of a clock on your wall' },
  webhooks: { name: 'Webhooks', description: 'Being told of events, and what became of each message' },
  auditLogs: { name: 'Audit log', description: 'What happened, who did it and from where' },
  system: { name: 'System', description: 'Health and public keys' },
  description: { name: 'Description', description: 'What you are reading' },
};

const paths = (): Readonly<Record<string, Readonly<Record<string, Operation>>>> =>
  Object.fromEntries(
    Object.entries(Object.groupBy(endpoints, ({ path }) => path)).map(([path, of = []]) => [
      path,
      Object.fromEntries(of.map((endpoint) => [endpoint.method.toLowerCase(), operationOf(endpoint, tagOf(endpoint))])),
    ]),
  );

const tagOf = ({ id }: Endpoint): string => tags[id.split('.')[0] as keyof typeof tags].name;
