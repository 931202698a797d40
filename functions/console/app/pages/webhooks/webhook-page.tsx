import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { usePermission } from '../../api/permission.ts';
import { useDeleteWebhook, useToggleWebhook, useWebhook } from '../../data/webhooks.ts';
import { PageFailure } from '../../frame/page-failure.tsx';
import { paths } from '../../paths.ts';
import { SkeletonText } from '../../ui/data/skeleton.tsx';
import { Button, IconButton } from '../../ui/form/button.tsx';
import { PageHeader } from '../../ui/layout/page-header.tsx';
import { ConfirmDialog } from '../../ui/overlay/confirm-dialog.tsx';
import { Menu, MenuItem, MenuSeparator } from '../../ui/overlay/menu.tsx';
import { useParam } from '../../use-param.ts';
import { DeliveryCard } from './delivery-card.tsx';
import { ReplayDialog } from './replay-dialog.tsx';
import { RotateSecretDialog } from './rotate-secret-dialog.tsx';
import { TestDialog } from './test-dialog.tsx';
import { WebhookFacts } from './webhook-facts.tsx';
import { WebhookForm } from './webhook-form.tsx';
import { WebhookState } from './webhook-state.tsx';

const crumb = { label: 'Webhooks', to: paths.webhooks };

type Open = 'edit' | 'test' | 'replay' | 'rotate' | 'delete';

export const WebhookPage = () => {
  const webhookId = useParam('webhookId');
  const { reason } = usePermission('admin');
  const { data, error, refetch } = useWebhook(webhookId);
  const toggle = useToggleWebhook(webhookId);
  const remove = useDeleteWebhook(webhookId);
  const navigate = useNavigate();
  const [open, setOpen] = useState<Open>();
  const close = (): void => setOpen(undefined);
  if (error && !data) return <PageFailure error={error} what="webhook" crumb={crumb} onRetry={() => void refetch()} />;
  if (!data) return <SkeletonText />;
  return (
    <>
      <PageHeader
        title={data.name}
        crumbs={[crumb]}
        badge={<WebhookState webhook={data} />}
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
              <MenuItem icon="undo" disabledReason={reason} onSelect={() => setOpen('replay')}>
                Replay events…
              </MenuItem>
              <MenuItem icon="refresh" disabledReason={reason} onSelect={() => setOpen('rotate')}>
                Rotate secret…
              </MenuItem>
              <MenuSeparator />
              <MenuItem icon="trash" danger disabledReason={reason} onSelect={() => setOpen('delete')}>
                Delete…
              </MenuItem>
            </Menu>
          </>
        }
      />
      <div className="stack">
        <WebhookFacts webhook={data} />
        <DeliveryCard webhookId={webhookId} />
      </div>
      {open === 'edit' && <WebhookForm webhook={data} onClose={close} />}
      {open === 'test' && <TestDialog webhook={data} onClose={close} />}
      {open === 'replay' && <ReplayDialog webhookId={webhookId} onClose={close} />}
      {open === 'rotate' && <RotateSecretDialog webhookId={webhookId} onClose={close} />}
      <ConfirmDialog
        open={open === 'delete'}
        onClose={close}
        title="Delete this webhook?"
        typed={data.name}
        action="Delete webhook"
        busy={remove.isPending}
        error={remove.error}
        onConfirm={() => remove.mutate(undefined, { onSuccess: () => void navigate({ to: paths.webhooks }) })}
      >
        Events are no longer sent to it, pending deliveries included. Its deliveries are no longer listed.
      </ConfirmDialog>
    </>
  );
};
