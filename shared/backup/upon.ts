import { Overtaken, type Tenant, type Write } from '../platform/index.ts';
import { backupKey } from './record.ts';

/** Holds an earlier backup for one that is begun upon it: whoever is about to take it away at this moment has to look again. */
export const buildUpon = (tenant: Tenant, backupId: string): Write => ({
  update: backupKey.backup(tenant, backupId),
  expression: 'ADD builtUpon :one',
  condition:
    '#status = :completed AND attribute_not_exists(leaving) AND attribute_not_exists(arriving) AND attribute_not_exists(damagedDepth)',
  names: { '#status': 'status' },
  values: { ':one': 1, ':completed': 'completed' },
  otherwise: () => new Overtaken(),
});
