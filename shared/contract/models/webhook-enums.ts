/** The words of webhooks that more than their own rows use; without any shape, so that nobody carries those along. */
export const webhookFormats = ['standard', 'simple'] as const;
export type WebhookFormat = (typeof webhookFormats)[number];
export const deliveryStatuses = ['attempting', 'delivered', 'failed'] as const;
/** Why the service itself disabled a webhook: it answered 410, or failed everything for 5 days. */
export const disabledReasons = ['gone', 'failing'] as const;
/** Which deliveries a replay sends again. */
export const replayStatuses = ['failed', 'delivered', 'missing', 'all'] as const;
