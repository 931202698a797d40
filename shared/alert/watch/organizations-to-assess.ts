import { type Key, walk } from '../../platform/index.ts';
import { retentionPartition } from '../../stored-backup/index.ts';
import { alertingPartition } from '../model/record.ts';

interface Due extends Pick<Key, 'pk' | 'sk'> {
  readonly organizationId: string;
}

/** Items of these partitions name an organization each: with alerts, schedules, captures, or backups that expire. */
const partitions = [alertingPartition, 'DUE#SCHEDULE', 'DUE#CAPTURE', retentionPartition] as const;

/** Every organization to look at, once. Those from before alerts existed are found by what else they have. */
export async function* organizationsToAssess(): AsyncGenerator<{ readonly organizationId: string }> {
  const seen = new Set<string>();
  for (const pk of partitions)
    for await (const { organizationId } of walk<Due>({ pk, prefix: '', from: '0' })) {
      if (seen.has(organizationId)) continue;
      seen.add(organizationId);
      yield { organizationId };
    }
}
