import { type Clock, clock, type Tenant } from '../../platform/index.ts';
import { type Scheduler, scheduler, syncEntries } from '../../recurring/index.ts';
import { scheduleKind } from '../model/schedule-kind.ts';

/** Makes the Scheduler's entries match the schedule: none if it is deleted or inactive. */
export const syncSchedule = async (
  tenant: Tenant,
  scheduleId: string,
  { time = clock, entries = scheduler }: { readonly time?: Clock; readonly entries?: Scheduler } = {},
): Promise<void> => {
  await syncEntries(scheduleKind, { tenant, id: scheduleId }, { time, entries });
};
