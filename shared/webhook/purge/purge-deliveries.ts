import { purgeEndpoints } from '../../delivery/index.ts';
import type { Clock, Tenant } from '../../platform/index.ts';
import { removedPrefix, webhookPrefix } from '../model/record.ts';

/** Deletes an organization's webhooks with all their deliveries. Returns false if the deadline passed first. */
export const purgeDeliveries = (tenant: Tenant, until: Date, clock: Clock): Promise<boolean> =>
  purgeEndpoints(tenant, { prefixes: [webhookPrefix, removedPrefix], until, clock });
