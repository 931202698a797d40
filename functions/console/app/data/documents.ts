/** Where documents exist, and what was deleted lately. */
import type { DataOf } from '../../../../shared/client/index.ts';
import { usePages, useRead } from '../api/use-api.ts';

export type LocatedDocument = DataOf<'GET /documents/locate'>;
export type DeletedDocument = DataOf<'GET /documents/deleted'>['documents'][number];

interface DocumentName {
  readonly path: string;
  /** Undefined if the path is an address that names its project. */
  readonly projectId: string | undefined;
}

/** A search opens backups and reads the live database, so it is repeated only if the person asks. A page examines 20 backups. */
const forAWhile = { staleTime: 60_000 };

export const useLocatedDocument = ({ path, projectId }: DocumentName, enabled: boolean) =>
  usePages('GET /documents/locate', { query: { path, projectId } }, { ...forAWhile, enabled, itemsOf: itself });

/** Each page is an answer of its own. */
const itself = (located: LocatedDocument): readonly LocatedDocument[] => [located];

export const useDeletedDocuments = (projectId: string | undefined, enabled: boolean) =>
  useRead(
    'GET /documents/deleted',
    { query: { projectId: projectId ?? '' } },
    { ...forAWhile, enabled: enabled && projectId !== undefined },
  );
