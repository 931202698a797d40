/** Runs every few minutes: restarts stopped captures, and enqueues the expiry of old ones. */
import { watchCaptures } from '../../shared/pitr/index.ts';
import { clock, lambdaHandler, log, sendMessages, unsafeTenant } from '../../shared/platform/index.ts';

export const handler = lambdaHandler(async (): Promise<void> => {
  const tenantOf = (organizationId: string) => unsafeTenant(organizationId, 'record');
  log.info('capture watchdog finished', { ...(await watchCaptures({ clock, tenantOf, send: sendMessages })) });
});
