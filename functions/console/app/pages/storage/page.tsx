import { useState } from 'react';
import { usePermission } from '../../api/permission.ts';
import { type Backup, useRunningBackups } from '../../data/backups.ts';
import { useStorageDestinations } from '../../data/storage.ts';
import { Card } from '../../ui/data/card.tsx';
import { EmptyState } from '../../ui/data/empty-state.tsx';
import { ErrorNotice } from '../../ui/data/error-notice.tsx';
import { SkeletonText } from '../../ui/data/skeleton.tsx';
import { Button } from '../../ui/form/button.tsx';
import { PageHeader } from '../../ui/layout/page-header.tsx';
import { DestinationCard } from './destination-card.tsx';
import { StorageDialog } from './storage-dialog.tsx';

/** It waits for the bucket, which does not answer. */
const isHeldUp = ({ storageDestination, waitingFor }: Backup, storageId: string): boolean =>
  waitingFor?.reason === 'storage' && storageDestination.id === storageId;

export const StoragePage = () => {
  const { reason } = usePermission('admin');
  const { items, query } = useStorageDestinations();
  const { items: running } = useRunningBackups();
  const [isAdding, setAdding] = useState(false);
  const add = (
    <Button variant="primary" icon="plus" disabledReason={reason} onClick={() => setAdding(true)}>
      Add storage
    </Button>
  );
  return (
    <>
      <PageHeader
        title="Storage"
        description="The buckets that hold your backups. They belong to you."
        actions={items?.length !== 0 && add}
      />
      {query.error && !items ? (
        <ErrorNotice error={query.error} title="The storage could not be loaded" onRetry={() => void query.refetch()} />
      ) : items === undefined ? (
        <Card>
          <SkeletonText />
        </Card>
      ) : items.length === 0 ? (
        <Card>
          <EmptyState icon="lock" title="No storage yet" actions={add}>
            Add a bucket of Amazon S3, Google Cloud Storage, Cloudflare R2, Backblaze B2, Wasabi, DigitalOcean Spaces or MinIO.
          </EmptyState>
        </Card>
      ) : (
        <div className="stack">
          {items.map((destination) => (
            <DestinationCard
              key={destination.id}
              destination={destination}
              heldUp={running?.find((backup) => isHeldUp(backup, destination.id))}
            />
          ))}
          <p className="muted small">
            Sizes and counts are those that the service recorded when it stored backups, safety backups among them, and captured
            changes. It does not count what else is in the buckets. Costs are a month of storage at list prices.
          </p>
        </div>
      )}
      {isAdding && <StorageDialog saved={undefined} onClose={() => setAdding(false)} />}
    </>
  );
};
