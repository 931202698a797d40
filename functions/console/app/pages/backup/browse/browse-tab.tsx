import { useBackup } from '../../../data/backups.ts';
import { SkeletonText } from '../../../ui/data/skeleton.tsx';
import { useParam } from '../../../use-param.ts';
import { useSearchParams } from '../../../use-search.ts';
import { NotReadable } from '../not-readable.tsx';
import { CollectionsColumn, DocumentsColumn } from './browse-columns.tsx';
import { DocumentPanel } from './document-panel.tsx';
import { locate } from './document-path.ts';
import { PathBar } from './path-bar.tsx';

/**
 * Three columns as in Firestore's own console: collections, the documents of one, a document. On a small screen only the last one
 * is shown; the path above leads back.
 */
export const BrowseTab = () => {
  const backupId = useParam('backupId');
  const { data: backup } = useBackup(backupId);
  const [{ path = '' }, setSearch] = useSearchParams();
  if (!backup) return <SkeletonText lines={4} />;
  if (backup.status !== 'completed') return <NotReadable status={backup.status} />;
  const { parent, collection, document } = locate(path);
  const level = document !== undefined ? 'document' : collection !== undefined ? 'collection' : 'root';
  return (
    <div className="stack stack--medium">
      <PathBar backupId={backupId} path={path} onGo={(to) => setSearch({ path: to })} />
      <div className={`browse__columns browse__columns--${level}`}>
        <CollectionsColumn backup={backup} parent={parent} selected={collection} />
        <DocumentsColumn backupId={backupId} collection={collection} selected={document} />
        <DocumentPanel backup={backup} collection={collection} document={document} />
      </div>
    </div>
  );
};
