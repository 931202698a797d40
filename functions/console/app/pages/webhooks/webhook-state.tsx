import type { Webhook } from '../../data/webhooks.ts';
import { formatPlural } from '../../format/format-number.ts';
import { Badge, Status } from '../../ui/data/badge.tsx';

/** An enabled webhook whose last attempts failed is not simply active. */
export const WebhookState = ({ webhook: { enabled, failureCount } }: { readonly webhook: Webhook }) =>
  enabled && failureCount > 0 ? (
    <Badge tone="warn">{formatPlural(failureCount, 'failed attempt')}</Badge>
  ) : (
    <Status status={enabled ? 'active' : 'disabled'} />
  );
