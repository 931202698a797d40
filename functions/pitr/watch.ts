/** Every few minutes: starts captures again whose turn did not come, and has removed what is too old. */
import { watchCaptures } from '../../shared/pitr/index.ts';
import { clock, lambdaHandler, log, sendMessages, unsafeTenant } from '../../shared/platform/index.ts';

const prove = (organizationId: string) => unsafeTenant(organizationId, 'record');

export const handler = lambdaHandler(async (): Promise<void> => {
  log.info('watched captures', { ...(await watchCaptures({ clock, prove, send: sendMessages })) });
});
