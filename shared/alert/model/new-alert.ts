import { lapsedAfterHours } from '../../contract/limits.ts';
import { iso, type Tenant } from '../../platform/index.ts';
import { type AlertRecord, alertKey } from './record.ts';

type Given = Pick<AlertRecord, 'id' | 'name' | 'channel' | 'createdBy'> & Partial<Pick<AlertRecord, SettingName>>;
type SettingName = 'recipients' | 'severity' | 'projectIds' | 'kinds' | 'lapsedAfterHours' | 'digest' | 'enabled' | 'isDefault';

/** A new alert with the defaults of the interface, without its secrets. */
export const newAlert = (tenant: Tenant, given: Given, now: Date): AlertRecord => ({
  ...alertKey.alert(tenant, given.id),
  severity: 'warning',
  projectIds: [],
  kinds: [],
  lapsedAfterHours,
  digest: false,
  enabled: true,
  isDefault: false,
  ...(given.channel === 'email' && { recipients: 'owners' as const }),
  ...given,
  revision: 1,
  createdAt: iso(now),
  updatedAt: iso(now),
});
