import { useNavigate } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { usePermission } from '../../../api/permission.ts';
import { backupErrorAdvices } from '../../../data/backup-words.ts';
import { type Backup, useRepeatBackup } from '../../../data/backups.ts';
import { useTestStorage } from '../../../data/storage.ts';
import { sentence } from '../../../format/sentence.ts';
import { paths } from '../../../paths.ts';
import { ErrorNotice } from '../../../ui/data/error-notice.tsx';
import { Fact } from '../../../ui/data/fact.tsx';
import { Notice } from '../../../ui/data/notice.tsx';
import { Button } from '../../../ui/form/button.tsx';
import { ButtonLink } from '../../../ui/form/button-link.tsx';
import { LastGood } from './last-good.tsx';

/** Why a backup has failed, what that means for the data, and what to do next. */
export const FailedBackup = ({ backup }: { readonly backup: Backup }) => {
  const { error } = backup;
  return (
    <Notice
      tone="bad"
      title="This backup failed. It stored nothing that can be restored."
      actions={<NextSteps backup={backup} />}
    >
      {error && <p className="wrap-anywhere">{sentence(error.message)}</p>}
      {error && backupErrorAdvices[error.code] && <p>{backupErrorAdvices[error.code]}</p>}
      <LastGood projectId={backup.projectId}>Nothing can be restored until one succeeds.</LastGood>
    </Notice>
  );
};

/** The first is what the error calls for. */
const NextSteps = ({ backup }: { readonly backup: Backup }) => {
  const { projectId, error } = backup;
  const { reason } = usePermission('member');
  const remedy: Readonly<Record<string, ReactNode>> = {
    SOURCE_AUTH_ERROR: (
      <ButtonLink
        variant="primary"
        size="small"
        icon="refresh"
        to={`${paths.project(projectId)}?reconnect=true`}
        disabledReason={reason}
      >
        Reconnect the project
      </ButtonLink>
    ),
    STORAGE_UPLOAD_ERROR: <TestStorage backup={backup} />,
    STORAGE_READ_ERROR: <TestStorage backup={backup} />,
    COLLECTION_NOT_FOUND: (
      <ButtonLink
        variant="primary"
        size="small"
        icon="archive"
        to={`${paths.backups}?start=${projectId}`}
        disabledReason={reason}
      >
        Choose collections
      </ButtonLink>
    ),
    BACKUP_TIMEOUT: (
      <ButtonLink variant="primary" size="small" icon="clock" to={paths.project(projectId, 'settings')} disabledReason={reason}>
        Allow more time
      </ButtonLink>
    ),
  };
  const first = error ? remedy[error.code] : undefined;
  return (
    <>
      {first}
      <TryAgain backup={backup} variant={first ? 'secondary' : 'primary'} />
    </>
  );
};

const TryAgain = ({ backup, variant }: { readonly backup: Backup; readonly variant: 'primary' | 'secondary' }) => {
  const navigate = useNavigate();
  const repeat = useRepeatBackup(backup);
  const { reason } = usePermission('member');
  return (
    <>
      <Button
        variant={variant}
        size="small"
        icon="refresh"
        busy={repeat.isPending}
        disabledReason={reason}
        onClick={() => repeat.mutate(undefined, { onSuccess: ({ id }) => void navigate({ to: paths.backup(id) }) })}
      >
        Try again
      </Button>
      {repeat.error && <ErrorNotice error={repeat.error} title="The backup could not start" />}
    </>
  );
};

const TestStorage = ({ backup: { storageDestination } }: { readonly backup: Backup }) => {
  const test = useTestStorage();
  const { reason } = usePermission('admin');
  return (
    <>
      <Button
        variant="primary"
        size="small"
        icon="check"
        busy={test.isPending}
        disabledReason={reason}
        onClick={() => test.mutate(storageDestination.id)}
      >
        Test the storage
      </Button>
      {test.data && <span role="status">{storageDestination.name} works now.</span>}
      {test.error && <ErrorNotice error={test.error} title={`${storageDestination.name} does not work`} />}
    </>
  );
};

/** What support needs. Folded: it says little to everyone else. */
export const TechnicalDetails = ({ backup }: { readonly backup: Backup }) => {
  const { id, error, path, storageDestination, trigger, readTime } = backup;
  if (!error) return null;
  return (
    <details className="backup__technical">
      <summary>Technical details</summary>
      <dl className="facts">
        <Fact label="Code">
          <code>{error.code}</code>
        </Fact>
        <Fact label="Backup">
          <code>{id}</code>
        </Fact>
        <Fact label="Trigger">{trigger}</Fact>
        <Fact label="Read time">{readTime ? <code>{readTime}</code> : 'None was chosen yet'}</Fact>
        <Fact label="Storage">
          {storageDestination.name} <code className="wrap-anywhere">{path}</code>
        </Fact>
      </dl>
      {Object.keys(error.details).length > 0 && (
        <pre className="code-block wrap-anywhere">{JSON.stringify(error.details, null, 2)}</pre>
      )}
    </details>
  );
};
