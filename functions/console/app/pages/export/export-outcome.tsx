import { exportAdvice } from '../../data/export/export-words.ts';
import type { ExportJob } from '../../data/export/exports.ts';
import { formatBytes, formatPlural } from '../../format/format-number.ts';
import { sentence } from '../../format/sentence.ts';
import { Notice } from '../../ui/data/notice.tsx';
import { Time } from '../../ui/data/time.tsx';

/** How an export has ended, and what to do if it failed. */
export const ExportOutcome = ({ job }: { readonly job: ExportJob }) => {
  const { status, error, documents, documentsErased, files, bytes, partial, unknownCollectionsCount, storageDestination } = job;
  const { expiresAt, filesDeletedAt, filesKeptReason, resumableUntil } = job;
  if (status === 'cancelled')
    return (
      <Notice tone="warn" title="The export was cancelled">
        The files that it had written are being deleted.
      </Notice>
    );
  if (status === 'failed' && error)
    return (
      <Notice tone="bad" title="The export has failed">
        <p className="wrap-anywhere">{sentence(error.message)}</p>
        {resumableUntil === null ? (
          <p>The files that it had written are being deleted. {exportAdvice(error.code, { isResumable: false })}</p>
        ) : (
          <p>
            What it had written stays until <Time at={resumableUntil} />. Until then it can go on where it stopped.{' '}
            {exportAdvice(error.code, { isResumable: true })}
          </p>
        )}
        <p className="small muted">{error.code}</p>
      </Notice>
    );
  if (status !== 'completed') return null;
  if (filesDeletedAt !== null)
    return (
      <Notice tone="info" title="The export was complete, and its files are deleted">
        Its retention has ended: the service deleted the files <Time at={filesDeletedAt} />. Export again to have them anew.
      </Notice>
    );
  const isExceptional = partial !== null || unknownCollectionsCount > 0 || filesKeptReason !== null;
  return (
    <Notice tone={isExceptional ? 'warn' : 'good'} title={`The export is complete${isExceptional ? ', with exceptions' : ''}`}>
      {formatPlural(documents, 'document')} in {formatPlural(files, 'file')} of {formatBytes(bytes)} are in{' '}
      {storageDestination.name}.{' '}
      {expiresAt === null ? (
        'The files are yours: the service does not delete them.'
      ) : (
        <>
          The service deletes the files <Time at={expiresAt} />.
          {filesKeptReason && ` It could not yet: ${sentence(filesKeptReason)} It tries again every day for 30 days.`}
        </>
      )}
      {documentsErased > 0 && ` ${formatPlural(documentsErased, 'erased document')} left out.`}
    </Notice>
  );
};
