import { useState } from 'react';
import { usePermission } from '../../api/permission.ts';
import { isRestoreActive, type Restore } from '../../data/restores.ts';
import { formatCount, formatPlural } from '../../format/format-number.ts';
import { Card } from '../../ui/data/card.tsx';
import { type Column, Table } from '../../ui/data/table.tsx';
import { Button } from '../../ui/form/button.tsx';
import { ButtonLink } from '../../ui/form/button-link.tsx';
import { showToast } from '../../ui/overlay/toast.tsx';
import { saveFile } from '../../ui/save-file.ts';
import { type Failure, failuresCsv } from './failures-csv.ts';
import { restoreFailed } from './plan-again.ts';

/** What the target answered for a document, in words. */
const words: Readonly<Record<string, string>> = {
  FAILED_PRECONDITION: 'Changed by someone else after the check; it was left as it is.',
  ALREADY_EXISTS: 'Created by someone else after the check; it was left as it is.',
  PERMISSION_DENIED: 'The connected account may not write it.',
  INVALID_ARGUMENT: 'The database refuses its contents.',
};

const columns: readonly Column<Failure>[] = [
  { key: 'path', label: 'Document', isTitle: true, cell: ({ path }) => <code className="wrap-anywhere">{path}</code> },
  {
    key: 'reason',
    label: 'Reason',
    cell: ({ code, message }) => (
      <span className="wrap-anywhere">
        {words[code] && <>{words[code]} </>}
        <span className="muted small">
          {code}: {message}
        </span>
      </span>
    ),
  },
];

const pageSize = 20;

/** The documents that were not written, by path. */
export const Failures = ({ restore }: { readonly restore: Restore }) => {
  const { failures, documentsFailed } = restore;
  const [page, setPage] = useState(0);
  if (failures.length === 0) return null;
  // A resumed restore may have fewer than before.
  const first = Math.min(page, Math.ceil(failures.length / pageSize) - 1) * pageSize;
  const shown = failures.slice(first, first + pageSize);
  return (
    <Card
      flush
      title={`${formatPlural(Math.max(documentsFailed, failures.length), 'document')} not written`}
      description={
        documentsFailed > failures.length
          ? `The first ${formatCount(failures.length)} by path. All others were written.`
          : 'All others were written.'
      }
      actions={<FailureActions restore={restore} />}
    >
      <Table label="Failures by path" columns={columns} rows={shown} rowKey={({ path }) => path} />
      {failures.length > pageSize && (
        <nav className="restore__pages" aria-label="Pages of failures">
          <Button
            size="small"
            disabledReason={first === 0 ? 'This is the first page' : undefined}
            onClick={() => setPage(first / pageSize - 1)}
          >
            Previous
          </Button>
          <span className="small secondary number">
            {formatCount(first + 1)} to {formatCount(first + shown.length)} of {formatCount(failures.length)}
          </span>
          <Button
            size="small"
            disabledReason={first + pageSize >= failures.length ? 'This is the last page' : undefined}
            onClick={() => setPage(first / pageSize + 1)}
          >
            Next
          </Button>
        </nav>
      )}
    </Card>
  );
};

const FailureActions = ({ restore }: { readonly restore: Restore }) => {
  const { failures, restoreJobId } = restore;
  const { reason } = usePermission('member');
  const again = isRestoreActive(restore) ? undefined : restoreFailed(restore);
  const copy = async (): Promise<void> => {
    await navigator.clipboard.writeText(failures.map(({ path }) => path).join('\n'));
    showToast(`${formatPlural(failures.length, 'path')} copied`);
  };
  return (
    <div className="row">
      <Button size="small" icon="copy" onClick={() => void copy()}>
        Copy paths
      </Button>
      <Button
        size="small"
        icon="download"
        onClick={() => saveFile(`failures-${restoreJobId}.csv`, failuresCsv(failures), 'text/csv')}
      >
        Download CSV
      </Button>
      {again !== undefined && (
        <ButtonLink size="small" icon="undo" to={again} disabledReason={reason}>
          Restore them anew…
        </ButtonLink>
      )}
    </div>
  );
};
