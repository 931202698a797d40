import { useState } from 'react';
import { usePermission } from '../../api/permission.ts';
import { type Encryption, useEncryption, useRotateEncryption } from '../../data/organization.ts';
import { Card } from '../../ui/data/card.tsx';
import { ErrorNotice } from '../../ui/data/error-notice.tsx';
import { Fact } from '../../ui/data/fact.tsx';
import { Notice } from '../../ui/data/notice.tsx';
import { SkeletonText } from '../../ui/data/skeleton.tsx';
import { Time } from '../../ui/data/time.tsx';
import { Button } from '../../ui/form/button.tsx';
import { ConfirmDialog } from '../../ui/overlay/confirm-dialog.tsx';
import { EncryptionDialog } from './encryption-dialog.tsx';

export const modeWords: Readonly<Record<Encryption['mode'], string>> = {
  kms: 'A key of AWS KMS in the account of this deployment',
  customer: 'Your own passphrase',
};

export const EncryptionCard = () => {
  const { reason } = usePermission('admin');
  const { data, error, refetch } = useEncryption();
  const rotate = useRotateEncryption();
  const [open, setOpen] = useState<'mode' | 'rotate'>();
  const close = (): void => setOpen(undefined);
  const busyReason = data?.rewrap === 'running' ? 'Keys are being rewrapped.' : undefined;
  return (
    <>
      <Card
        title="Encryption"
        description="Every backup has its own data key. It is wrapped with the key that you choose here."
        actions={
          <>
            <Button disabledReason={reason ?? busyReason} onClick={() => setOpen('rotate')}>
              Rewrap all keys…
            </Button>
            <Button disabledReason={reason ?? busyReason} onClick={() => setOpen('mode')}>
              Edit…
            </Button>
          </>
        }
      >
        {error ? (
          <ErrorNotice error={error} title="The encryption settings could not be loaded" onRetry={() => void refetch()} />
        ) : data ? (
          <div className="stack">
            {data.rewrap === 'running' && (
              <Notice title="Keys of earlier backups are being rewrapped">
                Backups stay readable while this runs. Their objects do not change, only their keys.
              </Notice>
            )}
            <dl className="facts">
              <Fact label="Wrapped with">{modeWords[data.mode]}</Fact>
              <Fact label="Key" isLong>
                <code className="wrap-anywhere">{data.keyId}</code>
              </Fact>
              <Fact label="Changed">
                <Time at={data.updatedAt} none="Never" />
              </Fact>
            </dl>
          </div>
        ) : (
          <SkeletonText />
        )}
      </Card>
      {open === 'mode' && data && <EncryptionDialog encryption={data} onClose={close} />}
      <ConfirmDialog
        open={open === 'rotate'}
        onClose={close}
        title="Rewrap the keys of all backups?"
        action="Rewrap keys"
        danger={false}
        busy={rotate.isPending}
        onConfirm={() => rotate.mutate(undefined, { onSettled: close })}
      >
        The data keys of all backups are wrapped again with the current key. Objects in your buckets do not change, and backups
        stay readable meanwhile.
      </ConfirmDialog>
    </>
  );
};
