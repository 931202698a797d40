import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { usePermission } from '../../../api/permission.ts';
import { type Backup, useAcknowledgeBackup } from '../../../data/backups.ts';
import { formatCount, formatPercent } from '../../../format/format-number.ts';
import { paths } from '../../../paths.ts';
import { Card } from '../../../ui/data/card.tsx';
import { None } from '../../../ui/data/none.tsx';
import { Notice } from '../../../ui/data/notice.tsx';
import { type Column, Table } from '../../../ui/data/table.tsx';
import { Time } from '../../../ui/data/time.tsx';
import { Button } from '../../../ui/form/button.tsx';
import { ButtonLink } from '../../../ui/form/button-link.tsx';
import { Input } from '../../../ui/form/field.tsx';
import { ConfirmDialog } from '../../../ui/overlay/confirm-dialog.tsx';

type Anomaly = NonNullable<Backup['anomaly']>;
type Finding = Anomaly['findings'][number];

const kindWords: Readonly<Record<Finding['kind'], string>> = {
  deleted: 'Documents deleted',
  changed: 'Documents changed',
  added: 'Documents added',
  entropy: 'Contents became unreadable',
  schema: 'Field disappeared',
  configuration: 'Configuration lost',
};

/** What is gone of the configuration has a message instead of numbers. */
const isOfDocuments = ({ kind }: Pick<Finding, 'kind'>): boolean => kind !== 'configuration';

const columns: readonly Column<Finding>[] = [
  {
    key: 'collection',
    label: 'Collection',
    isTitle: true,
    cell: ({ collection, kind }) => {
      if (collection !== null) return <code className="wrap-anywhere">{collection}</code>;
      return isOfDocuments({ kind }) ? 'All collections' : 'The database';
    },
  },
  {
    key: 'kind',
    label: 'What happened',
    cell: ({ kind, field, message }) => (
      <>
        {isOfDocuments({ kind }) ? kindWords[kind] : message}
        {field !== null && isOfDocuments({ kind }) && (
          <>
            {': '}
            <code className="wrap-anywhere">{field}</code>
          </>
        )}
      </>
    ),
  },
  {
    key: 'documents',
    label: 'Documents',
    isNumber: true,
    cell: (finding) =>
      isOfDocuments(finding) ? `${formatCount(finding.observed.documents)} of ${formatCount(finding.observed.total)}` : <None />,
  },
  {
    key: 'share',
    label: 'Share',
    isNumber: true,
    cell: (finding) => (isOfDocuments(finding) ? formatPercent(finding.observed.share) : <None />),
  },
  {
    key: 'expected',
    label: 'Usually at most',
    isNumber: true,
    cell: (finding) => (isOfDocuments(finding) ? formatPercent(finding.expected.max) : <None />),
  },
];

interface AnomalyProps {
  readonly backup: Backup;
  readonly anomaly: Anomaly;
}

/** What is unusual about a backup, until and after a person has acknowledged it. */
export const AnomalyCard = ({ backup, anomaly }: AnomalyProps) => {
  const [isOpen, setOpen] = useState(false);
  const { findings, source, detectedAt, comparedWith } = anomaly;
  const where = source === 'backup' ? 'since the backup before it' : 'in the time captured after it';
  return (
    <Card
      title="Unusual changes"
      description={
        <>
          More changed {where} than is usual for this project. Found <Time at={detectedAt} relative />.
        </>
      }
      actions={
        source === 'backup' &&
        comparedWith !== null && (
          <Link to={paths.backup(backup.id, 'compare')} search={{ against: comparedWith } as never} className="small">
            Compare with the backup before
          </Link>
        )
      }
      flush
    >
      <Table
        label="Unusual changes"
        columns={columns}
        rows={findings}
        rowKey={({ kind, collection, field, observed }) =>
          `${kind} ${collection} ${field} ${observed.documents} ${observed.total}`
        }
      />
      <div className="backup__anomaly">
        {anomaly.acknowledgedAt === null ? (
          <OpenNotice backup={backup} anomaly={anomaly} onAcknowledge={() => setOpen(true)} />
        ) : (
          <Notice tone="good" title="Acknowledged">
            <p>
              By {anomaly.acknowledgedBy?.email ?? 'a member'}, <Time at={anomaly.acknowledgedAt} />
            </p>
            {anomaly.note && <p className="wrap-anywhere">{anomaly.note}</p>}
          </Notice>
        )}
      </div>
      {isOpen && <AcknowledgeDialog backupId={backup.id} source={source} onClose={() => setOpen(false)} />}
    </Card>
  );
};

interface OpenNoticeProps extends AnomalyProps {
  readonly onAcknowledge: () => void;
}

const OpenNotice = ({ backup: { projectId }, anomaly, onAcknowledge }: OpenNoticeProps) => {
  const { source, keptBackupId, before } = anomaly;
  const { reason } = usePermission('member');
  const moment = source === 'capture' && before !== null ? before : undefined;
  const from = moment !== undefined ? { projectId, at: moment } : keptBackupId !== null ? { backupId: keptBackupId } : undefined;
  return (
    <Notice
      tone="warn"
      title="Was this intended?"
      actions={
        <>
          {from && (
            <ButtonLink variant="primary" icon="undo" to={paths.restoreWizard(from)} disabledReason={reason}>
              Restore from before…
            </ButtonLink>
          )}
          <Button variant={from ? 'secondary' : 'primary'} disabledReason={reason} onClick={onAcknowledge}>
            Acknowledge…
          </Button>
        </>
      }
    >
      {moment !== undefined ? (
        <p>
          If not, restore the moment before, <Time at={moment} />. This backup and the captured changes until then are kept until
          what was found is acknowledged.
        </p>
      ) : keptBackupId !== null ? (
        <p>
          If not, restore the <Link to={paths.backup(keptBackupId)}>last backup from before</Link>
          {before && (
            <>
              {' '}
              (<Time at={before} />)
            </>
          )}
          . It is kept until what was found is acknowledged.
        </p>
      ) : (
        <p>There is no earlier backup to go back to.</p>
      )}
    </Notice>
  );
};

interface AcknowledgeDialogProps {
  readonly backupId: string;
  readonly source: Anomaly['source'];
  readonly onClose: () => void;
}

const AcknowledgeDialog = ({ backupId, source, onClose }: AcknowledgeDialogProps) => {
  const acknowledge = useAcknowledgeBackup(backupId);
  const [note, setNote] = useState('');
  return (
    <ConfirmDialog
      open
      onClose={onClose}
      title="Acknowledge these changes?"
      action="Acknowledge"
      danger={false}
      mutation={acknowledge}
      onConfirm={() => acknowledge.mutate(note.trim(), { onSuccess: onClose })}
    >
      <div className="stack">
        <p>
          Retention may then expire {source === 'capture' ? 'what was kept from before' : 'the last backup from before'}. Changes
          of the same extent count as usual for five weeks and are not reported again.
        </p>
        <Input label="Note (optional)" value={note} maxLength={1000} onChange={({ target }) => setNote(target.value)} />
      </div>
    </ConfirmDialog>
  );
};
