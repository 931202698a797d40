/** Enumerations of webhooks, without schemas, so that workers do not bundle zod. */
export const webhookFormats = ['standard', 'simple'] as const;
export type WebhookFormat = (typeof webhookFormats)[number];
/** Of a message that is attempted until it is delivered or has failed. */
export const attemptStatuses = ['attempting', 'delivered', 'failed'] as const;
/** Progress of a job is skipped if a later step was delivered first. */
export const deliveryStatuses = [...attemptStatuses, 'skipped'] as const;
/** gone: the endpoint responded 410. failing: all deliveries failed for 5 days. */
export const disabledReasons = ['gone', 'failing'] as const;
/** Deliveries that a replay sends again. */
export const replayStatuses = ['failed', 'delivered', 'missing', 'all'] as const;
