import { SourceError } from '../../firestore/index.ts';
import { callToolkit, isUnused, type Toolkit } from './identity-toolkit.ts';

/**
 * Checks the permissions to import and, on request, to delete users, with empty requests: the service rejects these only after it has
 * checked the access. Throws if access is denied or Firebase Authentication is not set up.
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
