/** The API in one table. */

import type { Capability } from './capabilities.ts';
import type { Endpoint } from './endpoint.ts';
import { auditLogs } from './endpoints/audit-logs.ts';
import { auth } from './endpoints/auth.ts';
import { backupContents } from './endpoints/backup-contents.ts';
import { backups } from './endpoints/backups.ts';
import { encryption } from './endpoints/encryption.ts';
import { invitations, invites } from './endpoints/invitations.ts';
import { members } from './endpoints/members.ts';
import { organizations } from './endpoints/organizations.ts';
import { pitr } from './endpoints/pitr.ts';
import { projects } from './endpoints/projects.ts';
import { restores } from './endpoints/restores.ts';
import { schedules } from './endpoints/schedules.ts';
import { serviceAccount } from './endpoints/service-account.ts';
import { storageDestinations } from './endpoints/storage-destinations.ts';
import { description, system } from './endpoints/system.ts';
import { webhooks } from './endpoints/webhooks.ts';

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

/** The handler of an endpoint: functions/api/<file>.ts has one export per operation of the group. */
export const handlerOf = (endpoint: Pick<Endpoint, 'id'>): { file: string; name: string } => {
  const [group = '', name = ''] = endpoint.id.split('.');
  return { file: group.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`), name };
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
