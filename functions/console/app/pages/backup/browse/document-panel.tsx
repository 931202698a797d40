import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { ApiFailure, type Fields, formatJson } from '../../../../../../shared/client/index.ts';
import { usePermission } from '../../../api/permission.ts';
import { type BackupEntry, useEntries } from '../../../data/backup-contents.ts';
import type { Backup } from '../../../data/backups.ts';
import { formatCount } from '../../../format/format-number.ts';
import { paths } from '../../../paths.ts';
import { CodeBlock, CopyButton } from '../../../ui/data/code-block.tsx';
import { EmptyState } from '../../../ui/data/empty-state.tsx';
import { ErrorNotice } from '../../../ui/data/error-notice.tsx';
import { SkeletonText } from '../../../ui/data/skeleton.tsx';
import { Time } from '../../../ui/data/time.tsx';
import { ButtonLink } from '../../../ui/form/button-link.tsx';
import { Icon } from '../../../ui/icon.tsx';
import { Segments } from '../../../ui/layout/tabs.tsx';
import { FieldTree } from '../../../ui/value/value-tree.tsx';
import { idOf } from './document-path.ts';
import { DownloadButton } from './download-button.tsx';

interface DocumentPanelProps {
  readonly backup: Backup;
  readonly collection: string | undefined;
  readonly document: string | undefined;
}

/** The last column. */
export const DocumentPanel = ({ backup, collection, document }: DocumentPanelProps) => (
  <section className="browse__column browse__column--document" aria-label="Document">
    {document !== undefined ? (
      <DocumentView key={document} backup={backup} path={document} />
    ) : (
      <EmptyState icon="document" title="Read any document">
        {collection === undefined ? 'Choose a collection and a document, or go to a path.' : 'Choose a document.'} What you read
        here is written to the audit log.
      </EmptyState>
    )}
  </section>
);

const linkTo = (path: string) => ({ to: '.', search: { path } });

const DocumentView = ({ backup, path }: { readonly backup: Backup; readonly path: string }) => {
  const { items, query } = useEntries(backup.id, path);
  const { reason } = usePermission('member');
  if (query.error instanceof ApiFailure && query.error.code === 'NOT_FOUND')
    return (
      <EmptyState icon="search" title="Not in this backup">
        There is no document at <code className="wrap-anywhere">{path}</code>. Check the path, or look into another backup.
      </EmptyState>
    );
  if (query.error instanceof ApiFailure && query.error.details.reason === 'erased')
    return (
      <EmptyState icon="shield" title="Erased">
        An erasure of the project hides <code className="wrap-anywhere">{path}</code> in every backup. Neither its content nor
        whether it was in this backup is shown.
      </EmptyState>
    );
  if (query.error && !items)
    return (
      <div className="browse__note">
        <ErrorNotice error={query.error} onRetry={() => void query.refetch()} />
      </div>
    );
  const document = items?.find((entry) => entry.type === 'document');
  const collections = items?.filter((entry) => entry.type === 'collection') ?? [];
  return (
    <>
      <header className="stack stack--tight browse__head">
        <h2 className="wrap-anywhere">{idOf(path)}</h2>
        <div className="browse__path muted">
          <code className="wrap-anywhere">{path}</code> <CopyButton text={path} label="Copy the path" />
        </div>
        {document && (
          <div className="row">
            <ButtonLink
              size="small"
              icon="undo"
              to={paths.restoreWizard({ backupId: backup.id, documents: [path], below: 'no', step: 'plan' })}
              disabledReason={reason}
              label={`Restore the document ${idOf(path)}`}
            >
              Restore…
            </ButtonLink>
            <DownloadButton document={document} />
          </div>
        )}
      </header>
      {collections.length > 0 && <Subcollections collections={collections} />}
      {items === undefined ? (
        <div className="browse__note">
          <SkeletonText lines={5} />
        </div>
      ) : document ? (
        <Content document={document} />
      ) : (
        <p className="browse__note secondary">This document does not exist. It is shown because it has subcollections.</p>
      )}
    </>
  );
};

const Subcollections = ({ collections }: { readonly collections: readonly BackupEntry[] }) => (
  <nav className="browse__subs" aria-label="Subcollections">
    {collections.map(({ path, id, documents }) => (
      <Link key={path} to="." search={{ path } as never} className="browse__sub">
        <Icon name="folder" size={14} /> {id}
        {documents !== undefined && <span className="number muted">{formatCount(documents)}</span>}
      </Link>
    ))}
  </nav>
);

const Content = ({ document }: { readonly document: BackupEntry }) => {
  const [view, setView] = useState<'fields' | 'json'>('fields');
  const { fields, createTime, updateTime, fieldsTooLarge } = document;
  const isEmpty = fields !== undefined && Object.keys(fields).length === 0;
  return (
    <div className="stack stack--medium browse__content">
      <div className="row row--spread">
        <Segments
          label="Show as"
          value={view}
          options={[
            ['fields', 'Fields'],
            ['json', 'JSON'],
          ]}
          onChange={setView}
        />
        <span className="small muted">
          Changed <Time at={updateTime} />, created <Time at={createTime} />
        </span>
      </div>
      {fieldsTooLarge && (
        <p className="secondary">
          This document is too large to be shown here. It is in the backup and can be restored; the archive command reads it.
        </p>
      )}
      {isEmpty && view === 'fields' && <p className="secondary">This document has no fields.</p>}
      {fields !== undefined && view === 'fields' && <FieldTree fields={fields as Fields} linkTo={linkTo} />}
      {fields !== undefined && view === 'json' && <CodeBlock code={formatJson(jsonOf(document))} label="Document as JSON" />}
    </div>
  );
};

/** The document in the format of the Firestore REST API. */
const jsonOf = ({ name, fields, createTime, updateTime }: BackupEntry) => ({ name, fields, createTime, updateTime });
