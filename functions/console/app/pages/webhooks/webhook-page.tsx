import { useDeleteWebhook, useToggleWebhook, useWebhook, type WebhookWithSecret } from '../../data/webhooks.ts';
import { ResourcePage } from '../../frame/resource-page.tsx';
import { NotificationActions } from '../../parts/notification-actions.tsx';
import { paths } from '../../paths.ts';
import { useParam } from '../../use-param.ts';
import { ReplayDialog } from './replay-dialog.tsx';
import { RotateSecretDialog } from './rotate-secret-dialog.tsx';
import { TestDialog } from './test-dialog.tsx';
import { WebhookDeliveries } from './webhook-deliveries.tsx';
import { WebhookFacts } from './webhook-facts.tsx';
import { WebhookForm } from './webhook-form.tsx';
import { WebhookState } from './webhook-state.tsx';

export const WebhookPage = () => {
  const webhookId = useParam('webhookId');
  return (
    <ResourcePage
      read={useWebhook(webhookId)}
      what="webhook"
      crumb={{ label: 'Webhooks', to: paths.webhooks }}
      badge={(webhook) => <WebhookState webhook={webhook} />}
      actions={(webhook) => <WebhookActions webhook={webhook} />}
    >
      {(webhook) => (
        <>
          <WebhookFacts webhook={webhook} />
          <WebhookDeliveries webhookId={webhookId} />
        </>
      )}
    </ResourcePage>
  );
};

const WebhookActions = ({ webhook }: { readonly webhook: WebhookWithSecret }) => (
  <NotificationActions
    item={webhook}
    what="webhook"
    test={(onClose) => <TestDialog webhook={webhook} onClose={onClose} />}
    edit={(onClose) => <WebhookForm webhook={webhook} onClose={onClose} />}
    more={[
      {
        icon: 'undo',
        label: 'Replay events…',
        dialog: (onClose) => <ReplayDialog webhookId={webhook.id} onClose={onClose} />,
      },
      {
        icon: 'refresh',
        label: 'Rotate secret…',
        dialog: (onClose) => <RotateSecretDialog webhookId={webhook.id} onClose={onClose} />,
      },
    ]}
    toggle={useToggleWebhook(webhook.id)}
    remove={useDeleteWebhook(webhook.id)}
    listTo={paths.webhooks}
    consequence="Events are no longer sent to it, pending deliveries included. Its deliveries are no longer listed."
  />
);
