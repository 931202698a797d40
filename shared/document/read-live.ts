import { type Role, roleAtLeast } from '../contract/access.ts';
import { ApiError } from '../contract/errors.ts';
import { type ErasureFilter, getDocuments, SourceError } from '../firestore/index.ts';
import { iso } from '../platform/index.ts';
import { documentsRootOf, type ProjectRecord } from '../project/index.ts';
import { type BackupDeps, type RequestCaller, sourceRequestTimeoutMs, withSourceInRequest } from '../stored-backup/index.ts';
import { existingState, type LiveDocument, unknownState } from './document-states.ts';

/** One read. Reading the live database is billed, so it requires role member, as a comparison with it does. */
export const readLive = async (
  request: RequestCaller & { readonly role: Role | undefined },
  {
    project,
    path,
    deps,
    erasures,
  }: {
    readonly project: ProjectRecord;
    readonly path: string;
    readonly deps: BackupDeps;
    readonly erasures: ErasureFilter | undefined;
  },
): Promise<LiveDocument> => {
  const { role, now } = request;
  const at = { checkedAt: iso(now), reason: null };
  if (role !== undefined && !roleAtLeast(role, 'member'))
    return { ...unknownState, ...at, reason: 'role', message: 'Reading the live database requires role member' };
  try {
    const encoded = await withSourceInRequest(request, {
      project,
      deps,
      work: async (source) =>
        (await getDocuments(source, [path], { signal: AbortSignal.timeout(sourceRequestTimeoutMs / 2) })).get(path),
    });
    if (!encoded) return { ...unknownState, ...at, exists: false };
    const isErased = erasures?.hidesDocument(Buffer.from(path), encoded) ?? false;
    const shown = existingState(encoded, documentsRootOf(project).length);
    return { ...shown, ...at, ...(isErased && { erased: true, contentHash: null, document: null }) };
  } catch (error) {
    const isRefused = (error instanceof ApiError || error instanceof SourceError) && error.code === 'SOURCE_AUTH_ERROR';
    if (isRefused) return { ...unknownState, ...at, reason: 'unauthorized', message: error.message };
    if (error instanceof ApiError || error instanceof SourceError || isAbort(error))
      return { ...unknownState, ...at, reason: 'unavailable', message: 'The database does not respond. Try again shortly' };
    throw error;
  }
};

export const isAbort = (error: unknown): boolean => error instanceof Error && /^(AbortError|TimeoutError)$/.test(error.name);
