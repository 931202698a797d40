/** Enumerations of webhooks, without schemas, so that workers do not bundle zod. */
export const webhookFormats = ['standard', 'simple'] as const;
export type WebhookFormat = (typeof webhookFormats)[number];
export const deliveryStatuses = ['attempting', 'delivered', 'failed'] as const;
/** gone: the endpoint responded 410. failing: all deliveries failed for 5 days. */
export const disabledReasons = ['gone', 'failing'] as const;
/** Deliveries that a replay sends again. */
export const replayStatuses = ['failed', 'delivered', 'missing', 'all'] as const;
