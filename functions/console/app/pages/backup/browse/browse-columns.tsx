import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { usePermission } from '../../../api/permission.ts';
import type { ListResult } from '../../../api/use-api.ts';
import { type BackupEntry, useEntries } from '../../../data/backup-contents.ts';
import type { Backup } from '../../../data/backups.ts';
import { formatCompact, formatCount } from '../../../format/format-number.ts';
import { paths } from '../../../paths.ts';
import { ErrorNotice } from '../../../ui/data/error-notice.tsx';
import { LoadMore } from '../../../ui/data/load-more.tsx';
import { SkeletonText } from '../../../ui/data/skeleton.tsx';
import { ButtonLink } from '../../../ui/form/button-link.tsx';
import { Icon, type IconName } from '../../../ui/icon.tsx';
import { idOf } from './document-path.ts';

interface ColumnProps {
  readonly title: string;
  /** Read aloud in place of the title. */
  readonly label: string;
  readonly kind: 'collections' | 'documents';
  readonly icon: IconName;
  readonly entries: ListResult<BackupEntry>;
  readonly selected: string | undefined;
  readonly empty: ReactNode;
  /** Beside the title. */
  readonly action?: ReactNode;
  /** Documents by the id of their collection, where counting one would read too much. */
  readonly counts?: Readonly<Record<string, number>> | undefined;
}

const Column = ({ title, label, kind, icon, entries: { items, query }, selected, empty, action, counts }: ColumnProps) => {
  const listed = items?.filter(({ type }) => `${type}s` === kind);
  return (
    <section className={`browse__column browse__column--${kind}`} aria-label={label}>
      <div className="row row--single browse__top">
        <h2 className="browse__title" title={title}>
          {title}
        </h2>
        {action}
      </div>
      {query.error && !items ? (
        <div className="browse__note">
          <ErrorNotice error={query.error} onRetry={() => void query.refetch()} />
        </div>
      ) : listed === undefined ? (
        <div className="browse__note">
          <SkeletonText lines={4} />
        </div>
      ) : listed.length === 0 ? (
        <p className="browse__note muted">{empty}</p>
      ) : (
        <ul className="browse__list">
          {listed.map((entry) => (
            <EntryRow
              key={entry.path}
              entry={entry}
              icon={icon}
              isSelected={entry.path === selected}
              atMost={entry.type === 'collection' ? counts?.[entry.id] : undefined}
            />
          ))}
        </ul>
      )}
      <LoadMore query={query} />
    </section>
  );
};

interface EntryRowProps {
  readonly entry: BackupEntry;
  readonly icon: IconName;
  readonly isSelected: boolean;
  readonly atMost: number | undefined;
}

const EntryRow = ({ entry, icon, isSelected, atMost }: EntryRowProps) => (
  <li>
    <Link
      to="."
      search={{ path: entry.path } as never}
      activeOptions={{ exact: true }}
      className={entry.missing ? 'browse__entry browse__entry--missing' : 'browse__entry'}
      aria-current={isSelected || undefined}
      title={entry.missing ? 'This document does not exist, but has subcollections' : undefined}
    >
      <Icon name={icon} size={14} />
      <span className="wrap-anywhere">{entry.id}</span>
      {entry.missing && <span className="visually-hidden"> (does not exist, but has subcollections)</span>}
      {entry.documents === undefined && atMost !== undefined && (
        <span className="browse__count number" title={`${formatCount(atMost)} in all collections with this id`}>
          ≤ {formatCompact(atMost)}
          <span className="visually-hidden"> documents at most</span>
        </span>
      )}
      {entry.documents !== undefined && (
        <span className="browse__count number" title={formatCount(entry.documents)}>
          {formatCompact(entry.documents)}
          <span className="visually-hidden"> documents</span>
        </span>
      )}
    </Link>
  </li>
);

interface CollectionsColumnProps {
  readonly backup: Backup;
  /** Empty for the root. */
  readonly parent: string;
  readonly selected: string | undefined;
}

export const CollectionsColumn = ({ backup: { id: backupId, collectionCounts }, parent, selected }: CollectionsColumnProps) => (
  <Column
    title={parent === '' ? 'Collections' : `In ${idOf(parent)}`}
    label={parent === '' ? 'Collections' : `Collections of ${idOf(parent)}`}
    kind="collections"
    icon="folder"
    entries={useEntries(backupId, parent)}
    selected={selected}
    empty="This backup has no documents."
    counts={collectionCounts}
  />
);

interface DocumentsColumnProps {
  readonly backupId: string;
  readonly collection: string | undefined;
  readonly selected: string | undefined;
}

export const DocumentsColumn = ({ backupId, collection, selected }: DocumentsColumnProps) => {
  const entries = useEntries(backupId, collection ?? '', collection !== undefined);
  const { reason } = usePermission('member');
  if (collection === undefined)
    return (
      <section className="browse__column browse__column--documents" aria-label="Documents">
        <div className="row row--single browse__top">
          <h2 className="browse__title">Documents</h2>
        </div>
        <p className="browse__note muted">Choose a collection.</p>
      </section>
    );
  return (
    <Column
      title={idOf(collection)}
      label={`Documents of ${idOf(collection)}`}
      kind="documents"
      icon="document"
      entries={entries}
      selected={selected}
      empty="No documents."
      action={
        <ButtonLink
          size="small"
          variant="quiet"
          icon="undo"
          to={paths.restoreWizard({ backupId, collections: [collection], step: 'plan' })}
          disabledReason={reason}
          label={`Restore the collection ${idOf(collection)}`}
        >
          Restore…
        </ButtonLink>
      }
    />
  );
};
