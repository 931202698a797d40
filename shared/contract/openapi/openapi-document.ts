/** The OpenAPI 3.1 document, generated from the contract that the handlers run on. */

import type { Endpoint } from '../endpoint.ts';
import { type contract, endpoints } from '../index.ts';
import { version } from '../version.ts';
import { components } from './components.ts';
import { type Operation, operationOf } from './operation.ts';
import { webhookOperations } from './webhook-operations.ts';

export type Document = ReturnType<typeof openapiDocument>;

export const openapiDocument = () => ({
  openapi: '3.1.1',
  info: {
    title: 'Backup Management Service',
    version,
    summary: 'Backs up document databases into storage you own, and restores them',
    description: introduction,
    license: { name: 'Proprietary', identifier: 'LicenseRef-Proprietary' },
  },
  servers: [{ url: '/', description: 'The deployment that serves this document' }],
  tags: Object.values(tags),
  paths: paths(),
  webhooks: webhookOperations(),
  components: components(),
});

const introduction = `All resources belong to an organization; requests name it in X-Organization-Id.

Responses are {success: true, data} or {success: true, message}; errors are {success: false, error: {code, message, details, requestId}}, RFC 9457 with Accept: application/problem+json, or a page if a browser prefers HTML. details is always an object. An invalid request gets all its problems at once in details.errors; field and reason of the first are also in details itself.

Every GET also answers HEAD. Responses 201 and 202 have the path of the resource in Location. A request line with headers above 10,240 bytes is refused by the gateway with 431.

Lists are sorted newest first and have pagination {nextCursor, hasMore}; request the next page with cursor. Unknown fields are rejected, so nothing is silently ignored.`;

const tags: Readonly<Record<keyof typeof contract, { name: string; description: string }>> = {
  auth: { name: 'Authentication', description: 'Sign-in with the identity provider, and tokens' },
  device: {
    name: 'Device sign-in',
    description: 'Sign-in of a machine without a browser (RFC 8628): it shows a code that a person approves in the console',
  },
  sessions: { name: 'Sign-ins', description: 'The browsers, devices and applications with which a person is signed in' },
  organizations: { name: 'Organizations', description: 'The tenants that own all other resources' },
  members: { name: 'Members', description: 'Members of the organization and their roles' },
  invites: { name: 'Invitations', description: 'Invitations sent by the organization' },
  invitations: { name: 'Acceptance', description: 'Viewing and accepting invitations' },
  serviceAccount: {
    name: 'Service account',
    description: 'One key for server-to-server requests, limited by scopes only. Prefer API keys, which also have a role',
  },
  apiKeys: {
    name: 'API keys',
    description: 'Keys for pipelines and tools, each limited by a role, scopes, projects, addresses and time',
  },
  encryption: { name: 'Encryption', description: 'How the data keys of backups are wrapped' },
  projects: { name: 'Projects', description: 'Connected Firestore databases' },
  pitr: {
    name: 'Point-in-time recovery',
    description: 'Continuous capture of changes, to restore a project to any second',
  },
  erasures: {
    name: 'Erasures',
    description: 'Documents that no backup shows any more (GDPR article 17), while the backups are kept',
  },
  storageDestinations: { name: 'Storage destinations', description: 'Your buckets, where backups are stored' },
  storageUsage: { name: 'Storage usage', description: 'What your buckets hold, what uses them and what they cost' },
  backups: { name: 'Backups', description: 'Creating, verifying and deleting backups' },
  backupContents: { name: 'Contents of backups', description: 'Browsing, comparing and importing backups' },
  documents: { name: 'Documents', description: 'Where a document exists: live, in backups, and at which moments' },
  search: { name: 'Search', description: 'Searching the documents of a backup by path, id and the values of their fields' },
  restores: { name: 'Restores', description: 'Restoring backups, down to one document, and undoing restores' },
  exports: { name: 'Exports', description: 'Backups and moments as NDJSON, CSV, Parquet and for Google’s tools, in your bucket' },
  schedules: { name: 'Schedules', description: 'Automatic backups by cron expression and time zone' },
  restoreTests: {
    name: 'Restore tests',
    description: 'Plans that prove on schedule that backups can be restored, their runs and their evidence',
  },
  reports: { name: 'Reports', description: 'What an auditor asks of a period' },
  evidence: { name: 'Evidence', description: 'Signed evidence of restore tests, and the report over a period' },
  webhooks: { name: 'Webhooks', description: 'Event notifications and their deliveries' },
  alerts: { name: 'Alerts', description: 'Messages about incidents by e-mail, Slack, Teams, Discord and PagerDuty' },
  incidents: {
    name: 'Incidents',
    description: 'What fails, who has acknowledged it, who takes care of it, and what happened to it',
  },
  auditLogs: { name: 'Audit log', description: 'Who did what, when and from where' },
  overview: { name: 'Overview', description: 'The protection of all projects at a glance' },
  system: { name: 'System', description: 'Health and public keys' },
  description: { name: 'Description', description: 'OpenAPI document and API reference' },
  console: { name: 'Console', description: 'The web console' },
};

const paths = (): Readonly<Record<string, Readonly<Record<string, Operation>>>> =>
  Object.fromEntries(
    Object.entries(Object.groupBy(endpoints, ({ path }) => path)).map(([path, of = []]) => [
      path,
      Object.fromEntries(of.map((endpoint) => [endpoint.method.toLowerCase(), operationOf(endpoint, tagOf(endpoint))])),
    ]),
  );

const tagOf = ({ id }: Endpoint): string => tags[id.split('.')[0] as keyof typeof tags].name;
