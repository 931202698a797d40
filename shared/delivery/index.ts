/**
 * What webhooks and alerts have in common: a delivery is attempted under a lease, repeated after growing delays or abandoned, and an
 * endpoint that keeps failing is disabled.
 */
export { type AttemptOutcome, endedAfter, errorOf } from './attempt-outcome.ts';
export { beginRound, firstRound, isInProgress, resumeRound } from './attempt-round.ts';
export {
  type AttemptDecision,
  type AttemptState,
  type DeliveryRetries,
  type DueAttempt,
  decideAttempt,
  loadRecorded,
  type NamedAttempt,
  secondsUntil,
} from './decide-attempt.ts';
export type { DeliveryKind } from './delivery-kind.ts';
export { disableEndpoint } from './disable-endpoint.ts';
export { resetHealth } from './endpoint-health.ts';
export { listDeliveries, readDelivery } from './list-deliveries.ts';
export { abandonDelivery, makeAttempt, updateUnlessRecorded, type Verdict } from './make-attempt.ts';
export { purgeEndpoints } from './purge-endpoints.ts';
export { type DeliveryRecord, deliveryKey, type EndpointRecord, type HealthRecord } from './record.ts';
