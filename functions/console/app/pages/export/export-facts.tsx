import { Link } from '@tanstack/react-router';
import { useBackup } from '../../data/backups.ts';
import { formatWords } from '../../data/export/export-words.ts';
import { type ExportJob, isExportActive } from '../../data/export/exports.ts';
import { startedBy } from '../../data/job-words.ts';
import { formatBytes, formatCount, formatPlural } from '../../format/format-number.ts';
import { formatDuration } from '../../format/format-time.ts';
import { PathList } from '../../parts/path-list.tsx';
import { paths } from '../../paths.ts';
import { Card } from '../../ui/data/card.tsx';
import { CopyButton } from '../../ui/data/code-block.tsx';
import { Email } from '../../ui/data/email.tsx';
import { Fact } from '../../ui/data/fact.tsx';
import { Time } from '../../ui/data/time.tsx';

export const ExportFacts = ({ job }: { readonly job: ExportJob }) => {
  const {
    format,
    columns,
    exactText,
    storageDestination,
    path,
    manifest,
    transform,
    recipients,
    documentsErased,
    duration,
    retention,
  } = job;
  // The files of an export that ended early are deleted.
  const isKept = isExportActive(job) || job.status === 'completed';
  return (
    <Card title="Details">
      <dl className="facts">
        <Fact label="From">
          <SourceOf job={job} />
        </Fact>
        <Fact label="Scope">
          {job.collections.includes('*') ? 'Everything' : <PathList paths={job.collections} total={job.collections.length} />}
        </Fact>
        <Fact label="Format">
          {formatWords[format].name}
          {exactText && <span className="muted small"> texts as they are</span>}
        </Fact>
        {format === 'csv' && (
          <Fact label="Columns">
            {columns === null ? 'Found in the data' : <PathList paths={columns} total={columns.length} />}
          </Fact>
        )}
        <Fact label="Into">
          <Link to={paths.storage}>{storageDestination.name}</Link>
        </Fact>
        {isKept && (
          <Fact label="Documents" className="number">
            {formatCount(job.documents)}
          </Fact>
        )}
        {documentsErased > 0 && (
          <Fact label="Erased, left out" className="number">
            {formatCount(documentsErased)}
          </Fact>
        )}
        {isKept && (
          <Fact label="Files" className="number">
            {formatCount(job.files)}, {formatBytes(job.bytes)}
          </Fact>
        )}
        <Fact label="Kept">{retention === null ? 'Until you delete the files' : formatPlural(retention, 'day')}</Fact>
        {recipients.length > 0 && (
          <Fact label="Encrypted for" isLong>
            <PathList paths={recipients} total={recipients.length} />
          </Fact>
        )}
        {transform && (
          <Fact label="Masked">
            {formatPlural(transform.rules, 'rule')}
            {transform.documentsTransformed !== null && (
              <span className="muted small">
                {' '}
                {formatPlural(transform.fieldsTransformed ?? 0, 'value')} in{' '}
                {formatPlural(transform.documentsTransformed, 'document')} changed
              </span>
            )}
          </Fact>
        )}
        <Fact label="Started">
          <Time at={job.startedAt} none="Not yet" />
        </Fact>
        <Fact label="Ended">
          <Time at={job.completedAt} none="Not yet" />
        </Fact>
        {duration !== null && <Fact label="Took">{formatDuration(Math.max(1, duration) * 1_000)}</Fact>}
        <Fact label="Started by">
          <Email text={startedBy(job.createdBy)} />
        </Fact>
        <Fact label="Cost">No reads: the database is not read</Fact>
        <Fact label="Id">
          <span className="inline">
            <code className="wrap-anywhere">{job.id}</code>
            <CopyButton text={job.id} label="Copy the id" />
          </span>
        </Fact>
        <Fact label="Folder in the bucket" isLong>
          <span className="inline">
            <code className="wrap-anywhere">{path}</code>
            <CopyButton text={path} label="Copy the folder" />
          </span>
        </Fact>
        {manifest && (
          <Fact label="Manifest" isLong>
            <span className="inline">
              <code className="wrap-anywhere">{manifest.path}</code>
              <CopyButton text={manifest.path} label="Copy the path of the manifest" />
            </span>
            <span className="small muted wrap-anywhere">SHA-256 {manifest.sha256}</span>
          </Fact>
        )}
      </dl>
    </Card>
  );
};

const SourceOf = ({ job: { pointInTime, projectName, projectId, backupId } }: { readonly job: ExportJob }) => {
  const { data: backup } = useBackup(backupId ?? '', backupId !== null && pointInTime === null);
  if (pointInTime !== null)
    return (
      <>
        <Link to={paths.project(projectId, 'point-in-time')}>{projectName}</Link> as of <Time at={pointInTime} seconds />
      </>
    );
  if (backupId === null) return projectName;
  return (
    <>
      <Link to={paths.backup(backupId)}>
        {backup ? (
          <>
            The backup of <Time at={backup.readTime ?? backup.createdAt} />
          </>
        ) : (
          'A backup'
        )}
      </Link>{' '}
      of {projectName}
    </>
  );
};
