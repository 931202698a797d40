/** Event catalogue: the schema of each event's `data`. A function bundles only the schemas of the resources whose events it emits. */
import type * as z from 'zod/mini';
import { backupEvents } from '../event-data/backup-events.ts';
import { exportEvents } from '../event-data/export-events.ts';
import { incidentEvents } from '../event-data/incident-events.ts';
import { invitationEvents } from '../event-data/invitation-events.ts';
import { memberEvents } from '../event-data/member-events.ts';
import { organizationEvents } from '../event-data/organization-events.ts';
import { pitrEvents } from '../event-data/pitr-events.ts';
import { projectEvents } from '../event-data/project-events.ts';
import { restoreEvents } from '../event-data/restore-events.ts';
import { restoreTestEvents } from '../event-data/restore-test-events.ts';
import { scheduleEvents } from '../event-data/schedule-events.ts';
import { storageEvents } from '../event-data/storage-events.ts';
import type { EventName } from './event-names.ts';

export const events = {
  ...backupEvents,
  ...restoreEvents,
  ...exportEvents,
  ...restoreTestEvents,
  ...pitrEvents,
  ...scheduleEvents,
  ...projectEvents,
  ...storageEvents,
  ...incidentEvents,
  ...organizationEvents,
  ...memberEvents,
  ...invitationEvents,
} as const satisfies Readonly<Record<EventName, z.ZodMiniType>>;

export type EventData<N extends EventName> = z.input<(typeof events)[N]>;
