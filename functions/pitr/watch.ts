/** Every few minutes: starts captures again whose turn did not come, and has removed what is too old. */
import { watchCaptures } from '../../shared/pitr/index.ts';
import { clock, log } from '../../shared/platform/index.ts';

export const handler = async (): Promise<void> => {
  log.info('watched captures', { ...(await watchCaptures(clock)) });
};
