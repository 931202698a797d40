/**
 * Every endpoint of the contract with its handler: a missing or misnamed handler does not compile. For tests and measurements; a
 * deployed function is bundled from its own file.
 */
import type { contract } from '../../shared/contract/index.ts';
import type { Handler } from '../../shared/http/index.ts';
import * as auditLogs from './audit-logs.ts';
import * as auth from './auth.ts';
import * as backupContents from './backup-contents.ts';
import * as backups from './backups.ts';
import * as description from './description.ts';
import * as encryption from './encryption.ts';
import * as invitations from './invitations.ts';
import * as invites from './invites.ts';
import * as members from './members.ts';
import * as organizations from './organizations.ts';
import * as pitr from './pitr.ts';
import * as projects from './projects.ts';
import * as restores from './restores.ts';
import * as schedules from './schedules.ts';
import * as serviceAccount from './service-account.ts';
import * as storageDestinations from './storage-destinations.ts';
import * as system from './system.ts';
import * as webhooks from './webhooks.ts';

type Handlers = { readonly [G in keyof typeof contract]: { readonly [O in keyof (typeof contract)[G]]: Handler } };

export const handlers = {
  auth,
  organizations,
  members,
  invites,
  invitations,
  serviceAccount,
  encryption,
  projects,
  pitr,
  storageDestinations,
  backups,
  backupContents,
  restores,
  schedules,
  webhooks,
  auditLogs,
  system,
  description,
} as const satisfies Handlers;
