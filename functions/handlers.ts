/**
 * Every endpoint of the contract with its handler: a missing or misnamed handler does not compile. For tests and measurements; a
 * deployed function is bundled from its own file.
 */
import type { contract } from '../shared/contract/index.ts';
import type { Handler } from '../shared/http/index.ts';
import * as device from './account/device.ts';
import * as sessionList from './account/list-sessions.ts';
import * as sessions from './account/sessions.ts';
import * as alertMessages from './alert/messages.ts';
import * as alerts from './api/alerts.ts';
import * as apiKeys from './api/api-keys.ts';
import * as auditLogs from './api/audit-logs.ts';
import * as auth from './api/auth.ts';
import * as backupContents from './api/backup-contents.ts';
import * as backups from './api/backups.ts';
import * as description from './api/description.ts';
import * as encryption from './api/encryption.ts';
import * as erasures from './api/erasures.ts';
import * as exports from './api/exports.ts';
import * as incidents from './api/incidents.ts';
import * as invitations from './api/invitations.ts';
import * as invites from './api/invites.ts';
import * as members from './api/members.ts';
import * as organizations from './api/organizations.ts';
import * as overview from './api/overview.ts';
import * as pitr from './api/pitr.ts';
import * as projects from './api/projects.ts';
import * as reports from './api/reports.ts';
import * as restores from './api/restores.ts';
import * as schedules from './api/schedules.ts';
import * as serviceAccount from './api/service-account.ts';
import * as storageDestinations from './api/storage-destinations.ts';
import * as storageUsage from './api/storage-usage.ts';
import * as system from './api/system.ts';
import * as webhooks from './api/webhooks.ts';
import * as backupCreation from './backup/create.ts';
import * as console from './console/serve.ts';
import * as connectedDestinations from './destination/connect.ts';
import * as documents from './document/documents.ts';
import * as search from './document/search.ts';
import * as exportCreation from './export/create.ts';
import * as exportDownload from './export/download.ts';
import * as connectedProjects from './project/connect.ts';
import * as restoreCreation from './restore/create.ts';
import * as restoreTests from './restore-test/api.ts';
import * as evidence from './restore-test/evidence.ts';
import * as evidenceOfRun from './restore-test/read-evidence.ts';

type Handlers = { readonly [G in keyof typeof contract]: { readonly [O in keyof (typeof contract)[G]]: Handler } };

export const handlers = {
  auth,
  device,
  sessions: { ...sessions, ...sessionList },
  organizations,
  members,
  invites,
  invitations,
  serviceAccount,
  apiKeys,
  encryption,
  projects: { ...projects, ...connectedProjects },
  pitr,
  erasures,
  storageDestinations: { ...storageDestinations, ...connectedDestinations },
  storageUsage,
  backups: { ...backups, ...backupCreation },
  backupContents,
  documents,
  search,
  restores: { ...restores, ...restoreCreation },
  exports: { ...exports, ...exportCreation, ...exportDownload },
  schedules,
  restoreTests,
  evidence: { ...evidence, ...evidenceOfRun },
  reports,
  webhooks,
  alerts: { ...alerts, ...alertMessages },
  incidents,
  auditLogs,
  overview,
  system,
  description: { ...description, docs: console.docs },
  console,
} as const satisfies Handlers;
