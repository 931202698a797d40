import type { EventData } from '../../contract/events/event-catalogue.ts';
import type { EventName } from '../../contract/events/event-names.ts';
import { emit } from '../../event/index.ts';
import type { Tenant, Write } from '../../platform/index.ts';
import type { RestoreRecord } from './record.ts';

/** Subscribers are told of restores, not of plans: one too large for a call is a job only in how it is made. */
export const emitRestoreEvent = <N extends EventName & `restore.${string}`>(
  tenant: Tenant,
  { dryRun }: Pick<RestoreRecord, 'dryRun'>,
  name: N,
  data: EventData<N>,
  now: Date,
): readonly Write[] => (dryRun ? [] : [emit(tenant, name, data, now)]);
