import { SourceError } from '../../firestore/index.ts';
import { callToolkit, isUnused, type Toolkit } from './identity-toolkit.ts';

/**
 * Asks to put in nobody and, on request, to remove nobody: the service does not take that, which is enough to know that it would
 * take more. Throws where the project does not let us, or has no Firebase Authentication.
 */
export const probeAuthUsers = async (
  toolkit: Toolkit,
  { removal, signal }: { readonly removal: boolean; readonly signal?: AbortSignal },
): Promise<void> => {
  const answer = await callToolkit(toolkit, { path: '/accounts:batchCreate', body: { users: [] }, signal });
  if (isUnused(answer))
    throw new SourceError(
      toolkit.refusedAs ?? 'SOURCE_AUTH_ERROR',
      'Firebase Authentication is not set up in the project: enable it there, or restore without users',
    );
  if (removal) await callToolkit(toolkit, { path: '/accounts:batchDelete', body: { localIds: [], force: true }, signal });
};
