/** Runs every few minutes: ticks the schedules whose tick did not arrive. */
import { clock, lambdaHandler, log, unsafeTenant } from '../../shared/platform/index.ts';
import { watchRestoreTests } from '../../shared/restore-test/index.ts';
import { watchSchedules } from '../../shared/schedule/index.ts';

export const handler = lambdaHandler(async (): Promise<void> => {
  const watched = await watchSchedules((id) => unsafeTenant(id, 'record'), clock.now());
  const { ticked: restoreTests } = await watchRestoreTests((id) => unsafeTenant(id, 'record'), clock.now());
  log.info('schedule watchdog finished', { ...watched, restoreTests });
});
