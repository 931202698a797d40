/** Runs every few minutes: ticks the schedules and restore tests whose tick did not arrive. */
import { clock, lambdaHandler, log, unsafeTenant } from '../../shared/platform/index.ts';
import { watchDue } from '../../shared/recurring/index.ts';
import { restoreTestKind } from '../../shared/restore-test/index.ts';
import { scheduleKind } from '../../shared/schedule/index.ts';

export const handler = lambdaHandler(async (): Promise<void> => {
  const watched = await watchDue(scheduleKind, { tenantOf: (id) => unsafeTenant(id, 'record'), now: clock.now() });
  const { ticked: restoreTests } = await watchDue(restoreTestKind, {
    tenantOf: (id) => unsafeTenant(id, 'record'),
    now: clock.now(),
  });
  log.info('schedule watchdog finished', { ...watched, restoreTests });
});
