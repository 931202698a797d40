import { useState } from 'react';
import { usePermission } from '../../../api/permission.ts';
import type { Backup } from '../../../data/backups.ts';
import { type ConfigurationDiff, useConfigurationDiff } from '../../../data/configuration/configuration.ts';
import { formatCount, formatPlural } from '../../../format/format-number.ts';
import { Badge } from '../../../ui/data/badge.tsx';
import { Card } from '../../../ui/data/card.tsx';
import { ErrorNotice } from '../../../ui/data/error-notice.tsx';
import { Notice } from '../../../ui/data/notice.tsx';
import { SkeletonText } from '../../../ui/data/skeleton.tsx';
import { type Column, Table } from '../../../ui/data/table.tsx';
import { Button } from '../../../ui/form/button.tsx';
import { kindWords, partWords, settingWords, valueWords } from './configuration-words.ts';
import { RestoreDialog } from './restore-dialog.tsx';

/** What differs between the backup and the live database now, and the way back. */
export const LiveCard = ({ backup }: { readonly backup: Backup }) => {
  const { data, error, refetch, isFetching } = useConfigurationDiff(backup.id);
  const { reason } = usePermission('admin');
  const isEqual = data !== undefined && data.differences.length + data.unknown.length === 0;
  const [isOpen, setOpen] = useState(false);
  return (
    <Card
      title="Differences from the live database"
      description={data && `${formatPlural(data.differences.length, 'difference')}, ${formatCount(data.equal)} equal`}
      actions={
        <>
          <Button size="small" icon="refresh" busy={isFetching} onClick={() => void refetch()}>
            Compare again
          </Button>
          <Button
            size="small"
            icon="undo"
            disabledReason={reason ?? (isEqual ? 'Nothing differs' : undefined)}
            onClick={() => setOpen(true)}
          >
            Restore the configuration…
          </Button>
        </>
      }
      flush
    >
      {error && !data ? (
        <div className="configuration__note">
          <ErrorNotice error={error} title="The live database could not be read" />
        </div>
      ) : (
        <Differences diff={data} />
      )}
      {isOpen && <RestoreDialog backup={backup} onClose={() => setOpen(false)} />}
    </Card>
  );
};

const Differences = ({ diff }: { readonly diff: ConfigurationDiff | undefined }) => {
  if (!diff)
    return (
      <div className="configuration__note">
        <SkeletonText lines={2} />
      </div>
    );
  const { differences, unknown } = diff;
  return (
    <>
      {unknown.length > 0 && (
        <div className="configuration__note">
          <Notice tone="warn" title={`Not compared: ${unknown.map((part) => partWords[part].toLowerCase()).join(', ')}`}>
            The backup does not hold them, or the live database does not show them, for example because a permission is missing.
          </Notice>
        </div>
      )}
      {differences.length > 0 ? (
        <Table
          label="Differences of the configuration"
          columns={columns}
          rows={differences}
          rowKey={({ kind, name }) => `${kind} ${name}`}
        />
      ) : (
        <p className="muted configuration__none">
          {unknown.length === 0 ? 'The live database is as it was in the backup.' : 'There are no other differences.'}
        </p>
      )}
    </>
  );
};

type Difference = ConfigurationDiff['differences'][number];

/** From the backup to now. */
const changeWords = { added: ['Added since', 'good'], changed: ['Changed', 'warn'], removed: ['Gone', 'bad'] } as const;

const columns: readonly Column<Difference>[] = [
  {
    key: 'name',
    label: 'Name',
    isTitle: true,
    cell: ({ kind, name }) => <span className="wrap-anywhere">{kind === 'setting' ? (settingWords[name] ?? name) : name}</span>,
  },
  { key: 'kind', label: 'Kind', cell: ({ kind }) => kindWords[kind] },
  {
    key: 'change',
    label: 'Change',
    cell: ({ kind, change, before, after }) => (
      <>
        <Badge tone={changeWords[change][1]}>{changeWords[change][0]}</Badge>
        {change === 'changed' && kind !== 'rules' && ` ${valueWords(before ?? '')} → ${valueWords(after ?? '')}`}
      </>
    ),
  },
];
