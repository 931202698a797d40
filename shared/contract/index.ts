/** The API in one table. */

import type { Capability } from './capabilities.ts';
import type { Endpoint } from './endpoint.ts';
import { alerts } from './endpoints/alerts.ts';
import { apiKeys } from './endpoints/api-keys.ts';
import { auditLogs } from './endpoints/audit-logs.ts';
import { auth, sessions } from './endpoints/auth.ts';
import { backupContents } from './endpoints/backup-contents.ts';
import { backups } from './endpoints/backups.ts';
import { console } from './endpoints/console.ts';
import { device } from './endpoints/device.ts';
import { documents } from './endpoints/documents.ts';
import { encryption } from './endpoints/encryption.ts';
import { exports } from './endpoints/exports.ts';
import { incidents } from './endpoints/incidents.ts';
import { invitations, invites } from './endpoints/invitations.ts';
import { members } from './endpoints/members.ts';
import { organizations } from './endpoints/organizations.ts';
import { overview } from './endpoints/overview.ts';
import { pitr } from './endpoints/pitr.ts';
import { projects } from './endpoints/projects.ts';
import { erasures } from './endpoints/protection/erasures.ts';
import { evidence } from './endpoints/protection/evidence.ts';
import { reports } from './endpoints/protection/reports.ts';
import { restoreTests } from './endpoints/protection/restore-tests.ts';
import { restores } from './endpoints/restores.ts';
import { schedules } from './endpoints/schedules.ts';
import { search } from './endpoints/search.ts';
import { serviceAccount } from './endpoints/service-account.ts';
import { storageDestinations } from './endpoints/storage-destinations.ts';
import { storageUsage } from './endpoints/storage-usage.ts';
import { description, system } from './endpoints/system.ts';
import { webhooks } from './endpoints/webhooks.ts';

export const contract = {
  auth,
  device,
  sessions,
  organizations,
  members,
  invites,
  invitations,
  serviceAccount,
  apiKeys,
  encryption,
  projects,
  pitr,
  erasures,
  storageDestinations,
  storageUsage,
  backups,
  backupContents,
  documents,
  search,
  restores,
  exports,
  schedules,
  restoreTests,
  evidence,
  reports,
  webhooks,
  alerts,
  incidents,
  auditLogs,
  overview,
  system,
  description,
  console,
} as const;

/** The handler of an endpoint: the file has one export per operation of the group. */
export const handlerOf = (endpoint: Pick<Endpoint, 'id'>): { file: string; name: string } => {
  const [group = '', name = ''] = endpoint.id.split('.');
  return { file: group.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`), name };
};

/** The file of an endpoint's function. */
export const entryOf = (endpoint: Pick<Endpoint, 'id'>): string => {
  const { file } = handlerOf(endpoint);
  return entriesElsewhere[endpoint.id] ?? entriesElsewhere[file] ?? `functions/api/${file}.ts`;
};

/**
 * Groups and endpoints whose handlers are not in functions/api. Those that open a bucket or a database, look up countries, or compose
 * messages of alerts (functions/alert/messages.ts) are bundled apart from their group: the clients of buckets would triple the code that
 * reading a restore loads. functions/account has the sessions of a person and the sign-in of a device. Calls that match no row reach
 * functions/gateway/fallback.ts.
 */
const entriesElsewhere: Readonly<Record<string, string>> = {
  'alerts.digest': 'functions/alert/messages.ts',
  'alerts.test': 'functions/alert/messages.ts',
  'backups.create': 'functions/backup/create.ts',
  console: 'functions/console/serve.ts',
  'description.docs': 'functions/console/serve.ts',
  device: 'functions/account/device.ts',
  documents: 'functions/document/documents.ts',
  evidence: 'functions/restore-test/evidence.ts',
  'exports.content': 'functions/export/download.ts',
  'exports.create': 'functions/export/create.ts',
  'exports.files': 'functions/export/download.ts',
  'evidence.get': 'functions/restore-test/read-evidence.ts',
  'projects.collections': 'functions/project/connect.ts',
  'projects.create': 'functions/project/connect.ts',
  'projects.reconnect': 'functions/project/connect.ts',
  'restore-tests': 'functions/restore-test/api.ts',
  'restores.create': 'functions/restore/create.ts',
  search: 'functions/document/search.ts',
  sessions: 'functions/account/sessions.ts',
  'sessions.list': 'functions/account/list-sessions.ts',
  'storageDestinations.create': 'functions/destination/connect.ts',
  'storageDestinations.test': 'functions/destination/connect.ts',
  'storageDestinations.update': 'functions/destination/connect.ts',
};

export const endpoints: readonly Endpoint[] = Object.values(contract).flatMap((rows) => Object.values(rows));

/** Capabilities of an endpoint's function: those of its row, and those implied by access, paging and idempotency. */
export const capabilitiesOf = (endpoint: Endpoint): readonly Capability[] => [
  ...new Set<Capability>([
    ...endpoint.capabilities,
    ...(endpoint.access === 'public' ? [] : (['token:verify', 'table:read'] as const)),
    ...(endpoint.list || endpoint.paged || endpoint.idempotent ? (['secret:service'] as const) : []),
  ]),
];
