/** The filters of the audit log as the address has them, so that a view survives a reload and can be shared. */
import type { AuditFilters } from '../../data/audit.ts';
import { endOfDay, isDay, startOfDay } from '../../format/day-range.ts';

export type AuditSearch = Readonly<Record<string, string | undefined>>;

export const filterNames = ['search', 'actorId', 'action', 'resourceType', 'resourceId', 'from', 'to'] as const;

export const filtersOf = ({ search, actorId, action, resourceType, resourceId, from, to }: AuditSearch): AuditFilters => ({
  ...(search && { search }),
  ...(actorId && { actorId }),
  ...(action && { action }),
  ...(resourceType && { resourceType }),
  ...(resourceId && { resourceId }),
  ...(isDay(from) && { from: startOfDay(from) }),
  ...(isDay(to) && { to: endOfDay(to) }),
});
