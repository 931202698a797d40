/**
 * Point-in-time recovery that a test file has enabled. `test/setup/stage-env.ts` disables it after the file, because a captured project keeps
 * an instance of the stage busy until the end of the run.
 */
import { pitr } from '../../../shared/contract/endpoints/pitr.ts';
import { warm } from '../../../shared/platform/warm.ts';

interface Caller {
  readonly token?: string | undefined;
  readonly org?: string | undefined;
}

/** Who enabled it, by the path of the call. */
const enabled = warm(() => new Map<string, Caller>());
const capturePath = new RegExp(`^${pitr.enable.path.replace('{projectId}', '[^/?]+')}$`);

export const noteCapture = (sent: { readonly method: string; readonly path: string; readonly by: Caller }): void => {
  if (sent.method === pitr.enable.method && capturePath.test(sent.path)) enabled().set(sent.path, sent.by);
};

/** Fails for no file: the caller may have lost access, and the project or a stage of the file's own may be gone. */
export const disableCaptures = async (
  send: (method: string, path: string, by: Caller & { readonly isOnce: true }) => Promise<unknown>,
): Promise<void> => {
  const left = [...enabled()];
  enabled().clear();
  await Promise.allSettled(left.map(([path, { token, org }]) => send(pitr.disable.method, path, { token, org, isOnce: true })));
};
