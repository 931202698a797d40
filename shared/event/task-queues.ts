/** The queue of each task. Apart from the schemas, so that a function that only enqueues tasks bundles none of them. */
import type { Task } from './tasks.ts';

export type Queue =
  | 'task'
  | 'bucketWork'
  | 'eventMatch'
  | 'delivery'
  | 'deliveryRetry'
  | 'schedule'
  | 'capture'
  | 'captureAudit'
  | 'incident'
  | 'alertDelivery';

/**
 * Tasks that use customers' buckets may take minutes or hang. They have their own queue and worker (`bucketWork`), so that no
 * invitation and no start of a backup waits behind them.
 */
const queues: Readonly<Record<Task['kind'], Queue>> = {
  'send-invitation': 'task',
  'purge-organization': 'task',
  'notify-organization-deleted': 'task',
  'notify-device-sign-in': 'task',
  'finish-departure': 'task',
  'start-backup': 'task',
  'start-verification': 'task',
  'start-restore': 'task',
  'start-export': 'task',
  'start-restore-test': 'task',
  'run-restore-test': 'schedule',
  'sync-restore-test': 'schedule',
  'erase-backup': 'bucketWork',
  'rewrap-keys': 'bucketWork',
  'finish-move': 'bucketWork',
  'store-erasures': 'bucketWork',
  'assess-erasures': 'bucketWork',
  'match-event': 'eventMatch',
  // Retries by hand: their endpoint has failed before.
  deliver: 'deliveryRetry',
  'disable-webhook': 'task',
  'notify-webhook-disabled': 'task',
  // On the queue that delivery workers may send to.
  'apply-webhook': 'task',
  'apply-event': 'incident',
  'apply-verification': 'incident',
  'apply-anomaly': 'incident',
  'assess-incidents': 'incident',
  'notify-incident': 'incident',
  'send-alert-email': 'incident',
  'disable-alert': 'incident',
  'notify-alert-disabled': 'incident',
  // Providers and relays of customers may hang.
  'deliver-alert': 'alertDelivery',
  // A month of events takes many minutes.
  'replay-webhook': 'bucketWork',
  'run-schedule': 'schedule',
  'sync-schedule': 'schedule',
  'sync-schedules': 'schedule',
  'schedule-outcome': 'schedule',
  capture: 'capture',
  'audit-captures': 'captureAudit',
  'synthesize-full': 'schedule',
  'apply-retention': 'bucketWork',
  'expire-captures': 'bucketWork',
};

export const queueOf = ({ kind }: Task): Queue => queues[kind];
