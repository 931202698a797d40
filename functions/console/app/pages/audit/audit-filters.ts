/** The filters of the audit log as the address has them, so that a view survives a reload and can be shared. */
import type { AuditFilters } from '../../data/audit.ts';
import { endOfDay, isDay, startOfDay } from '../../format/day-range.ts';

export type AuditSearch = Readonly<Record<string, string | undefined>>;

export const filterNames = ['resourceType', 'action', 'actorId', 'from', 'to'] as const;

export const filtersOf = ({ resourceType, action, actorId, from, to }: AuditSearch): AuditFilters => ({
  ...(resourceType && { resourceType }),
  ...(action && { action }),
  ...(actorId && { actorId }),
  ...(isDay(from) && { from: startOfDay(from) }),
  ...(isDay(to) && { to: endOfDay(to) }),
});
