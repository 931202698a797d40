import { downloadMaxBytes } from '../../../../../shared/contract/limits.ts';
import { usePermission } from '../../api/permission.ts';
import { type ExportFile, type ExportJob, useDownloadExportFile, useExportFiles } from '../../data/export/exports.ts';
import { formatBytes, formatCount } from '../../format/format-number.ts';
import { Card } from '../../ui/data/card.tsx';
import { EmptyState } from '../../ui/data/empty-state.tsx';
import { ListBody } from '../../ui/data/list-body.tsx';
import { Progress } from '../../ui/data/progress.tsx';
import { type Column, Table } from '../../ui/data/table.tsx';
import { Button } from '../../ui/form/button.tsx';

const columns: readonly Column<ExportFile>[] = [
  { key: 'name', label: 'File', isTitle: true, cell: ({ name }) => <code className="wrap-anywhere">{name}</code> },
  { key: 'documents', label: 'Documents', isNumber: true, cell: ({ documents }) => formatCount(documents) },
  { key: 'size', label: 'Size', isNumber: true, cell: ({ bytes }) => formatBytes(bytes) },
];

/** The files of a completed export; members download them without access to the bucket. */
export const ExportFiles = ({ job: { id, bytes } }: { readonly job: ExportJob }) => {
  const { reason } = usePermission('member');
  const list = useExportFiles(id);
  const download = useDownloadExportFile(id);
  const running = download.isPending ? download.variables : undefined;
  const isLarge = bytes > downloadMaxBytes;
  const blockerOf = ({ name }: ExportFile): string | undefined =>
    reason ??
    (isLarge ? 'This export is too large: read the files from the bucket' : undefined) ??
    (running && running.name !== name ? 'Another file is being downloaded' : undefined);
  const action: Column<ExportFile> = {
    key: 'actions',
    label: 'Actions',
    isActions: true,
    cell: (file) => (
      <Button
        size="small"
        variant="quiet"
        icon="download"
        aria-label={`Download ${file.name}`}
        busy={running?.name === file.name}
        disabledReason={blockerOf(file)}
        onClick={() => download.mutate(file)}
      >
        Download
      </Button>
    ),
  };
  return (
    <Card
      flush
      title="Files"
      description={
        isLarge
          ? `Exports of more than ${formatBytes(downloadMaxBytes)} are read from the bucket.`
          : 'Each download is checked against the manifest, and is in the audit log.'
      }
    >
      <ListBody
        list={list}
        what="files"
        empty={<EmptyState title="No files">There was no document to export.</EmptyState>}
        moreLabel="Show more files"
      >
        <Table label="Files" columns={[...columns, action]} rows={list.items} rowKey={({ name }) => name} />
      </ListBody>
      {running && (
        <div className="export__download">
          <Progress label={`Downloading ${running.name}`} percent={download.percent} />
        </div>
      )}
    </Card>
  );
};
