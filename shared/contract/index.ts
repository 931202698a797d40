/** Everything the outside sees, in one table. */
import { auditLogs } from './audit-logs.ts';
import { auth } from './auth.ts';
import { backupContents } from './backup-contents.ts';
import { backups } from './backups.ts';
import { encryption } from './encryption.ts';
import type { Endpoint } from './endpoint.ts';
import { invitations, invites } from './invitations.ts';
import { members } from './members.ts';
import { organizations } from './organizations.ts';
import { pitr } from './pitrs.ts';
import { projects } from './projects.ts';
import { restores } from './restores.ts';
import { schedules } from './schedules.ts';
import { serviceAccount } from './service-account.ts';
import { storageDestinations } from './storage-destinations.ts';
import { description, system } from './system.ts';
import type { Use } from './uses.ts';
import { webhooks } from './webhooks.ts';

export const contract = {
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
} as const;

/** Where an endpoint's handler is: functions/api/<file>.ts, one file per group, one export per operation. */
export const handlerOf = (endpoint: Pick<Endpoint, 'id'>): { file: string; name: string } => {
  const [group = '', name = ''] = endpoint.id.split('.');
  return { file: group.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`), name };
};

export const endpoints: readonly Endpoint[] = Object.values(contract).flatMap((rows) => Object.values(rows));

/** All a function needs: what its row names, and what its access and its manners bring along. */
export const usesOf = (endpoint: Endpoint): readonly Use[] => [
  ...new Set<Use>([
    ...endpoint.uses,
    ...(endpoint.access === 'public' ? [] : (['token:verify', 'table:read'] as const)),
    ...(endpoint.list || endpoint.paged || endpoint.idempotent ? (['secret:service'] as const) : []),
  ]),
];
