import { ownTimeZone } from '../../format/format-time.ts';

/** The time zone that a new schedule or plan begins with: the person's own, unless the organization has chosen one (UTC is the default). */
export const startZone = (organizationZone: string): string => (organizationZone === 'UTC' ? ownTimeZone() : organizationZone);
