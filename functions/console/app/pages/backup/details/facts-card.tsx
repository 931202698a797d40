import { Link } from '@tanstack/react-router';
import { creatorOf, scopeOf, triggerWords, typeWords } from '../../../data/backup-words.ts';
import { type Backup, isBackupRunning } from '../../../data/backups.ts';
import { formatBytes, formatCount, formatPlural, formatUsd } from '../../../format/format-number.ts';
import { formatDuration } from '../../../format/format-time.ts';
import { sentence } from '../../../format/sentence.ts';
import { paths } from '../../../paths.ts';
import { Card } from '../../../ui/data/card.tsx';
import { CopyButton } from '../../../ui/data/code-block.tsx';
import { Email } from '../../../ui/data/email.tsx';
import { Fact } from '../../../ui/data/fact.tsx';
import { Time } from '../../../ui/data/time.tsx';

const encryptionWords: Readonly<Record<string, string>> = {
  kms: 'AES-256, key of the service',
  customer: 'AES-256, your own key',
};

export const FactsCard = ({ backup }: { readonly backup: Backup }) => {
  const { status, projectId, projectName, type, trigger, readTime, size, originalSize, documentCount, duration, cost } = backup;
  const { storageDestination, path, authUsers, countVerified, encryption, source, createdBy, foreign } = backup;
  const isDone = status === 'completed';
  // It left nothing in the bucket.
  const hasFailed = status === 'failed';
  return (
    <Card title="About this backup">
      <dl className="facts backup__facts">
        <Fact label="Project">
          <Link to={paths.project(projectId)}>{projectName ?? 'Removed project'}</Link>
        </Fact>
        <Fact label="Data as of">
          <Time at={readTime} none={isDone ? 'Not stated' : isBackupRunning(status) ? 'Not read yet' : 'Never read'} />
        </Fact>
        <Fact label="Covers">{scopeOf(backup)}</Fact>
        {isDone && (
          <Fact label="Documents">
            <span className="number">{formatCount(documentCount)}</span>
            {countVerified && <span className="muted"> · matches the count of the database</span>}
          </Fact>
        )}
        {isDone && (
          <Fact label="Stored">
            <span className="number">{formatBytes(size)}</span>
            {originalSize > 0 && <span className="muted"> · {formatBytes(originalSize)} before compression</span>}
          </Fact>
        )}
        {isDone && authUsers !== undefined && <Fact label="Users">{formatPlural(authUsers, 'user')}</Fact>}
        <Fact label="Type">{typeWords[type]}</Fact>
        <Fact label="Started by">
          <Email text={creatorOf(backup)} />
          {createdBy?.email && trigger !== 'manual' && <span className="muted"> · {triggerWords[trigger]}</span>}
        </Fact>
        {duration !== null && <Fact label="Took">{formatDuration(duration)}</Fact>}
        <Fact label="Google bills">
          {formatUsd(cost.estimatedUsd)} <span className="muted">for {formatPlural(cost.reads, 'read')}</span>
        </Fact>
        {isDone && backup.builtFrom === 'changes' && (
          <Fact label="Built from">
            Captured changes{' '}
            <span className="muted">
              {backup.costIfRead && `· reading everything would have cost ${formatUsd(backup.costIfRead.estimatedUsd)} `}· every
              document was read since <Time at={backup.auditedSince} />
            </span>
          </Fact>
        )}
        {backup.builtFromReason && <Fact label="Read the database because">{sentence(backup.builtFromReason)}</Fact>}
        {!hasFailed && <Fact label="Encryption">{encryptionWords[encryption.mode] ?? encryption.mode}</Fact>}
        {(source || foreign) && <Fact label="Origin">{[foreign && 'Another database', source].filter(Boolean).join(' · ')}</Fact>}
        <Fact label="Storage">
          <Link to={paths.storage}>{storageDestination.name}</Link>
        </Fact>
      </dl>
      {!hasFailed && (
        <div className="backup__path">
          <span className="muted small">Folder in the bucket</span>
          <code className="wrap-anywhere">{path}</code>
          <CopyButton text={path} label="Copy the folder" />
        </div>
      )}
    </Card>
  );
};
