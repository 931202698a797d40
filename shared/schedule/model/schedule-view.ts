/** A schedule as the API and the events show it. */
import type * as z from 'zod/mini';
import type { EventData } from '../../contract/events/event-catalogue.ts';
import type { Schedule } from '../../contract/models/schedule.ts';
import type { OrganizationRecord } from '../../organization/index.ts';
import type { Tenant } from '../../platform/index.ts';
import type { ProjectRecord } from '../../project/index.ts';
import { isWaiting, waitingSince } from '../../recurring/index.ts';
import type { ScheduleRecord } from './record.ts';
import { readWaitingLine } from './waiting-runs.ts';

type Shown = z.input<typeof Schedule>;

/** The `data` of API responses, without internal attributes; with their positions among all runs that wait. */
export const showSchedules = async (tenant: Tenant, records: readonly ScheduleRecord[]): Promise<Shown[]> => {
  const countAhead = records.some(isWaiting) ? await readWaitingLine(tenant) : () => 0;
  return records.map((record) => scheduleData(record, countAhead(record) + 1));
};

export const showSchedule = async (tenant: Tenant, record: ScheduleRecord): Promise<Shown> =>
  scheduleData(record, isWaiting(record) ? (await readWaitingLine(tenant))(record) + 1 : 1);

const waitOf = (record: ScheduleRecord, position: number): Shown['waitingFor'] => {
  const since = waitingSince(record);
  return since === undefined ? null : { reason: 'capacity', since, position };
};

const scheduleData = (record: ScheduleRecord, position: number): Shown => ({
  id: record.id,
  name: record.name,
  projectId: record.projectId,
  cron: record.cron,
  timezone: record.timezone,
  type: record.type,
  enabled: record.enabled,
  retention: record.retention,
  retentionPolicy: record.retentionPolicy,
  collections: [...record.collections],
  excludeCollections: [...record.excludeCollections],
  includeAuthUsers: record.includeAuthUsers,
  source: record.source ?? 'auto',
  storageDestinationId: record.storageDestinationId,
  nextRunAt: record.nextRunAt,
  waitingFor: waitOf(record, position),
  lastRunAt: record.lastRunAt,
  lastBackupId: record.lastBackupId,
  lastSuccessAt: record.lastSuccessAt,
  lastOutcome: record.lastOutcome ?? earlierOutcome(record),
  failing: record.failing,
  warning: record.warning ?? null,
  createdBy: record.createdBy,
  createdAt: record.createdAt,
  updatedAt: record.updatedAt,
});

/** For records of earlier versions: what their other attributes tell about the last run. */
const earlierOutcome = ({ failing, lastEndAt, lastSuccessAt }: ScheduleRecord): Shown['lastOutcome'] => {
  if (failing) {
    const { since, reason, code, message } = failing;
    return {
      status: reason === 'missed' ? 'missed' : 'failed',
      at: lastEndAt ?? since,
      backupId: null,
      error: { code, message },
    };
  }
  return lastSuccessAt === null ? null : { status: 'completed', at: lastSuccessAt, backupId: null, error: null };
};

interface ScheduleOwners {
  readonly project: Pick<ProjectRecord, 'name'>;
  readonly organization: Pick<OrganizationRecord, 'id' | 'name'>;
}

/** The `data` of schedule.created, updated and deleted. schedule.triggered and schedule.failed add to it. */
export const scheduleEvent = async (
  tenant: Tenant,
  record: ScheduleRecord,
  { project, organization }: ScheduleOwners,
): Promise<EventData<'schedule.created'>> => ({
  organization: { id: organization.id, name: organization.name },
  schedule: { ...(await showSchedule(tenant, record)), cronExpression: record.cron, projectName: project.name },
});
