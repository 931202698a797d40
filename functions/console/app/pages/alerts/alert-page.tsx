import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { usePermission } from '../../api/permission.ts';
import { useAlert, useDeleteAlert, useToggleAlert } from '../../data/alerts.ts';
import { PageFailure } from '../../frame/page-failure.tsx';
import { paths } from '../../paths.ts';
import { Badge, Status } from '../../ui/data/badge.tsx';
import { SkeletonText } from '../../ui/data/skeleton.tsx';
import { Button, IconButton } from '../../ui/form/button.tsx';
import { PageHeader } from '../../ui/layout/page-header.tsx';
import { ConfirmDialog } from '../../ui/overlay/confirm-dialog.tsx';
import { Menu, MenuItem } from '../../ui/overlay/menu.tsx';
import { useParam } from '../../use-param.ts';
import { AlertDetails } from './alert-details.tsx';
import { AlertForm } from './alert-form.tsx';
import { TestDialog } from './alert-test-dialog.tsx';
import { DigestDialog } from './digest-dialog.tsx';
import { MessageCard } from './message-card.tsx';

const crumb = { label: 'Alerts', to: paths.alerts };

type Open = 'edit' | 'test' | 'digest' | 'delete';

export const AlertPage = () => {
  const alertId = useParam('alertId');
  const { reason } = usePermission('admin');
  const { data, error, refetch } = useAlert(alertId);
  const toggle = useToggleAlert(alertId);
  const remove = useDeleteAlert(alertId);
  const navigate = useNavigate();
  const [open, setOpen] = useState<Open>();
  const close = (): void => setOpen(undefined);
  if (error && !data) return <PageFailure error={error} what="alert" crumb={crumb} onRetry={() => void refetch()} />;
  if (!data) return <SkeletonText />;
  return (
    <>
      <PageHeader
        title={data.name}
        crumbs={[crumb]}
        badge={
          <>
            <Status status={data.status} />
            {data.isDefault && <Badge>Default</Badge>}
          </>
        }
        actions={
          <>
            <Button disabledReason={reason} onClick={() => setOpen('test')}>
              Send a test…
            </Button>
            <Button disabledReason={reason} busy={toggle.isPending} onClick={() => toggle.mutate(!data.enabled)}>
              {data.enabled ? 'Disable' : 'Enable'}
            </Button>
            <Button disabledReason={reason} onClick={() => setOpen('edit')}>
              Edit…
            </Button>
            <Menu trigger={<IconButton icon="more" label="More actions" variant="secondary" />}>
              <MenuItem icon="document" onSelect={() => setOpen('digest')}>
                Preview the weekly digest…
              </MenuItem>
              <MenuItem icon="trash" danger disabledReason={reason} onSelect={() => setOpen('delete')}>
                Delete…
              </MenuItem>
            </Menu>
          </>
        }
      />
      <div className="stack">
        <AlertDetails alert={data} />
        <MessageCard alertId={alertId} />
      </div>
      {open === 'edit' && <AlertForm alert={data} onClose={close} />}
      {open === 'test' && <TestDialog alert={data} onClose={close} />}
      {open === 'digest' && <DigestDialog onClose={close} />}
      <ConfirmDialog
        open={open === 'delete'}
        onClose={close}
        title="Delete this alert?"
        typed={data.name}
        action="Delete alert"
        busy={remove.isPending}
        error={remove.error}
        onConfirm={() => remove.mutate(undefined, { onSuccess: () => void navigate({ to: paths.alerts }) })}
      >
        Nothing is sent to it any more, pending messages and recoveries included. Its list of messages is gone. Incidents are
        still recorded.
      </ConfirmDialog>
    </>
  );
};
