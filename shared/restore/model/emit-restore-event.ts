import type { EventData } from '../../contract/events/event-catalogue.ts';
import type { EventName } from '../../contract/events/event-names.ts';
import { emit } from '../../event/index.ts';
import type { Tenant, Write } from '../../platform/index.ts';
import type { RestoreRecord } from './record.ts';

/** Nothing for a dry run: subscribers hear of restores only. */
export const emitRestoreEvent = <N extends EventName & `restore.${string}`>(
  tenant: Tenant,
  { dryRun }: Pick<RestoreRecord, 'dryRun'>,
  name: N,
  data: EventData<N>,
  now: Date,
): readonly Write[] => (dryRun ? [] : [emit(tenant, name, data, now)]);
