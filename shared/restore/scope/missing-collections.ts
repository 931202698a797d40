/** What a backup that was built for a point in time lacks of a request. */
import type { BackupRecord } from '../../stored-backup/index.ts';
import type { StartRestoreOptions } from '../model/start-options.ts';

type Request = Pick<StartRestoreOptions, 'collections' | 'documents' | 'includeSubcollections'>;

/** Undefined if everything requested is proven. Subcollections may be below any document, so they lack whatever the backup lacks. */
export const missingCollectionsOf = (
  { lacks }: Pick<BackupRecord, 'lacks'>,
  { collections, documents, includeSubcollections }: Request,
): BackupRecord['lacks'] => {
  const paths = documents ? documents.paths.map((path) => path.slice(0, path.lastIndexOf('/'))) : collections;
  if (!lacks?.complete || includeSubcollections || paths.includes('*')) return lacks;
  const ids = new Set(paths.map((path) => path.slice(path.lastIndexOf('/') + 1)));
  const requested = lacks.collections.filter((id) => ids.has(id));
  return requested.length === 0 ? undefined : { ...lacks, collections: requested, count: requested.length };
};
