import { type ReactNode, useState } from 'react';
import { usePermission } from '../../api/permission.ts';
import type { ListResult } from '../../api/use-api.ts';
import type { Backup, BulkKind } from '../../data/backups.ts';
import { formatCount } from '../../format/format-number.ts';
import { Card } from '../../ui/data/card.tsx';
import { ListBody } from '../../ui/data/list-body.tsx';
import { type Column, Table } from '../../ui/data/table.tsx';
import { Button } from '../../ui/form/button.tsx';
import { BulkDialog, backupName } from './bulk-dialog.tsx';

interface BackupListProps {
  readonly label: string;
  readonly list: ListResult<Backup>;
  readonly columns: readonly Column<Backup>[];
  readonly empty: ReactNode;
}

/** A list of backups whose rows can be selected, to delete or verify several at once. */
export const BackupList = ({ label, list, columns, empty }: BackupListProps) => {
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const [bulk, setBulk] = useState<BulkKind>();
  const remove = usePermission('admin');
  const verify = usePermission('member');
  // Those that are gone from the list, such as by another filter, are not selected any more.
  const chosen = (list.items ?? []).filter(({ id }) => selected.has(id));
  const close = (): void => {
    setBulk(undefined);
    setSelected(new Set());
  };
  return (
    <Card flush>
      {chosen.length > 0 && (
        <div className="bulk" role="toolbar" aria-label="Selected backups">
          <strong className="bulk__count" role="status">
            {formatCount(chosen.length)} selected
          </strong>
          <Button size="small" disabledReason={verify.reason} onClick={() => setBulk('verify')}>
            Verify…
          </Button>
          <Button size="small" variant="quiet-danger" disabledReason={remove.reason} onClick={() => setBulk('delete')}>
            Delete…
          </Button>
          <span className="bulk__clear">
            <Button size="small" variant="quiet" onClick={() => setSelected(new Set())}>
              Clear
            </Button>
          </span>
        </div>
      )}
      <ListBody list={list} what="backups" empty={empty}>
        <Table
          label={label}
          columns={columns}
          rows={list.items}
          rowKey={({ id }) => id}
          selection={{ selected, onChange: setSelected, rowName: (backup) => `the backup of ${backupName(backup)}` }}
        />
      </ListBody>
      {bulk && <BulkDialog kind={bulk} backups={chosen} onClose={close} />}
    </Card>
  );
};
