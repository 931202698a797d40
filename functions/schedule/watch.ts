/** Every few minutes: makes up for ticks that did not come, and tells of those that were missed. */
import { clock, lambdaHandler, log, unsafeTenant } from '../../shared/platform/index.ts';
import { watchSchedules } from '../../shared/schedule/index.ts';

export const handler = lambdaHandler(async (): Promise<void> => {
  const { due, told } = await watchSchedules((id) => unsafeTenant(id, 'record'), clock.now());
  log.info('watched schedules', { due, told });
});
