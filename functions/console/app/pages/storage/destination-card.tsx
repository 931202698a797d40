import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { usePermission } from '../../api/permission.ts';
import type { Backup } from '../../data/backups.ts';
import { type StorageDestination, useDeleteStorage, useTestStorage } from '../../data/storage.ts';
import { formatPlural } from '../../format/format-number.ts';
import { describeProvider } from '../../forms/keyless/keyless.ts';
import { ProbeFailure } from '../../forms/storage/probe-failure.tsx';
import { providerOf } from '../../forms/storage/providers.ts';
import { findingAdvice } from '../../forms/storage/step-advice.ts';
import { WaitNotice } from '../../parts/wait-notice.tsx';
import { paths } from '../../paths.ts';
import { Badge, Status } from '../../ui/data/badge.tsx';
import { Card } from '../../ui/data/card.tsx';
import { Fact } from '../../ui/data/fact.tsx';
import { Notice } from '../../ui/data/notice.tsx';
import { Time } from '../../ui/data/time.tsx';
import { Button } from '../../ui/form/button.tsx';
import { ConfirmDialog } from '../../ui/overlay/confirm-dialog.tsx';
import { ProbeResult } from './probe-result.tsx';
import { StorageDialog } from './storage-dialog.tsx';
import { Usage } from './usage.tsx';

interface DestinationCardProps {
  readonly destination: StorageDestination;
  /** A backup that waits for the bucket now. */
  readonly heldUp: Backup | undefined;
}

export const DestinationCard = ({ destination, heldUp }: DestinationCardProps) => {
  const { reason } = usePermission('admin');
  const test = useTestStorage();
  const remove = useDeleteStorage();
  const [open, setOpen] = useState<'edit' | 'delete'>();
  const close = (): void => setOpen(undefined);
  const { id, name, bucket, prefix, status, lastError, objectLock } = destination;
  return (
    <>
      <Card
        title={
          <span className="row">
            <span className="wrap-anywhere">{name}</span>{' '}
            {heldUp ? <Badge tone="warn">Does not answer</Badge> : <Status status={status} />}
          </span>
        }
        description={
          <>
            {providerOf(destination).label} · {destination.lastTestedAt ? 'tested ' : 'never tested'}
            {destination.lastTestedAt && <Time at={destination.lastTestedAt} relative />}
          </>
        }
        actions={
          <>
            <Button disabledReason={reason} busy={test.isPending} onClick={() => test.mutate(id)}>
              Test
            </Button>
            <Button disabledReason={reason} onClick={() => setOpen('edit')}>
              Edit…
            </Button>
            <Button variant="quiet-danger" disabledReason={reason} onClick={() => setOpen('delete')}>
              Remove…
            </Button>
          </>
        }
      >
        <div className="stack">
          {heldUp?.waitingFor && (
            <WaitNotice wait={heldUp.waitingFor} subject={<Link to={paths.backup(heldUp.id)}>A backup</Link>} />
          )}
          {!heldUp && status === 'error' && lastError && !test.data && !test.error && (
            <Notice tone="bad" title={lastError.message}>
              {findingAdvice(lastError) ?? 'Test it to see which step fails.'}{' '}
              {lastError.at && <Time at={lastError.at} relative />}
            </Notice>
          )}
          <dl className="facts">
            <Fact label="Bucket">
              <code className="wrap-anywhere">{[bucket, prefix].filter(Boolean).join('/')}</code>
            </Fact>
            <Fact label="Region">{destination.region ?? <span className="muted">Not set</span>}</Fact>
            <Fact label="Credentials">
              {destination.workloadIdentity ? (
                <>
                  Without a key:{' '}
                  <code className="wrap-anywhere">
                    {destination.workloadIdentity.serviceAccountEmail ?? describeProvider(destination.workloadIdentity.audience)}
                  </code>
                </>
              ) : (
                <code className="wrap-anywhere">{Object.values(destination.credentials)[0]}</code>
              )}
            </Fact>
            <Fact label="Object lock">
              <span className="row">
                {objectLock && `Locked for ${formatPlural(objectLock.days, 'day')} (${objectLock.mode})`}
                {destination.immutable && <Badge tone="info">Nothing is deleted</Badge>}
                {!objectLock && !destination.immutable && 'Off'}
              </span>
            </Fact>
            <Fact label="Encryption">
              Before it leaves this service
              <div className="muted small">
                {destination.sse ? (
                  <>
                    Again by the storage: <code>{destination.sse}</code>
                  </>
                ) : (
                  'Again by the storage, as the bucket is set'
                )}
              </div>
            </Fact>
          </dl>
          <Usage storageId={id} />
          {test.data && <ProbeResult result={test.data} />}
          {test.error && <ProbeFailure error={test.error} />}
        </div>
      </Card>
      {open === 'edit' && <StorageDialog saved={destination} onClose={close} />}
      <ConfirmDialog
        open={open === 'delete'}
        onClose={close}
        title="Remove this storage?"
        typed={name}
        action="Remove storage"
        mutation={remove}
        onConfirm={() => remove.mutate(id, { onSuccess: close })}
      >
        It can be removed only if no backup, schedule or default uses it. The bucket and its objects stay.
      </ConfirmDialog>
    </>
  );
};
