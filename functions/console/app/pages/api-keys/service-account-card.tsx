import { useState } from 'react';
import { useSession } from '../../api/session.ts';
import { useDeleteServiceAccount, useServiceAccount, useTakeOverServiceAccount } from '../../data/service-account.ts';
import { Card } from '../../ui/data/card.tsx';
import { ErrorNotice } from '../../ui/data/error-notice.tsx';
import { SkeletonText } from '../../ui/data/skeleton.tsx';
import { Button } from '../../ui/form/button.tsx';
import { ConfirmDialog } from '../../ui/overlay/confirm-dialog.tsx';
import { RotateAccountDialog } from './rotate-account-dialog.tsx';
import { ServiceAccountDialog } from './service-account-dialog.tsx';
import { ServiceAccountFacts } from './service-account-facts.tsx';

export const ServiceAccountCard = () => {
  const { id: ownId } = useSession();
  const { account, error, refetch } = useServiceAccount(true);
  const takeOver = useTakeOverServiceAccount();
  const remove = useDeleteServiceAccount();
  const [open, setOpen] = useState<'edit' | 'rotate' | 'delete'>();
  const close = (): void => setOpen(undefined);
  const actions = account ? (
    <>
      {account.createdBy !== ownId && (
        <Button busy={takeOver.isPending} onClick={() => takeOver.mutate()}>
          Take over
        </Button>
      )}
      <Button onClick={() => setOpen('edit')}>Edit…</Button>
      <Button onClick={() => setOpen('rotate')}>Rotate key…</Button>
      <Button icon="trash" variant="quiet-danger" onClick={() => setOpen('delete')}>
        Delete…
      </Button>
    </>
  ) : (
    account === null && <Button onClick={() => setOpen('edit')}>Create service account…</Button>
  );
  return (
    <>
      <Card
        title="Service account"
        description="One key for all projects that never expires, and that no role limits: with backups:write it also deletes backups, which a member cannot."
        actions={actions}
      >
        {error ? (
          <ErrorNotice error={error} title="The service account could not be loaded" onRetry={() => void refetch()} />
        ) : account === undefined ? (
          <SkeletonText />
        ) : account === null ? (
          <p className="secondary">
            This organization has none, and needs none. Prefer API keys: a role limits each of them, projects can, and they
            expire.
          </p>
        ) : (
          <ServiceAccountFacts account={account} />
        )}
      </Card>
      {open === 'edit' && <ServiceAccountDialog account={account ?? null} onClose={close} />}
      {open === 'rotate' && <RotateAccountDialog onClose={close} />}
      {account && (
        <ConfirmDialog
          open={open === 'delete'}
          onClose={close}
          title="Delete the service account?"
          typed={account.name}
          action="Delete service account"
          mutation={remove}
          onConfirm={() => remove.mutate(undefined, { onSuccess: close })}
        >
          Its key stops working at once. Pipelines that use it fail until they have another one.
        </ConfirmDialog>
      )}
    </>
  );
};
