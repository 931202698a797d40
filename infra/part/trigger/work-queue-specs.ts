/**
 * The queues: worker, batch size, maximum concurrency, and the wait beyond one failed attempt that raises an alarm. Concurrent batches must fit into the
 * account's concurrency (1,000 by default) and the SES sending rate.
 * `isSlow`: a batch may take longer than seconds, because it waits for endpoints, buckets or databases of customers.
 * `id` names the resource and stays when a queue gets a better name: a new id replaces the queue, which loses its messages and
 * breaks the Scheduler entries that send to it.
 */
export const workQueueSpecs = {
  /** Ten small tasks fit into the timeout, and SQS returns no more without waiting. E-mails are expected within minutes. */
  task: { id: 'Tasks', worker: 'task', batchSize: 10, concurrencyMax: 5, waitMaxSeconds: 900, isSlow: false },
  /** A task may use the whole timeout, so batches have one message. Nothing waits for it; a burst may take an hour. */
  bucketWork: { id: 'Chores', worker: 'bucketWork', batchSize: 1, concurrencyMax: 6, waitMaxSeconds: 3_600, isSlow: true },
  /**
   * Ten events for 1,000 webhooks each (the maximum) make 10,000 deliveries at about 1 ms of a core: a quarter of the worker's
   * timeout. Ten workers create 10,000 deliveries per second, twice what the delivery queue sends, so bursts wait there and new events
   * are matched at once. Events are expected within seconds.
   */
  eventMatch: { id: 'Matches', worker: 'eventMatch', batchSize: 10, concurrencyMax: 10, waitMaxSeconds: 300, isSlow: false },
  /**
   * 500 concurrent requests to endpoints that were fast the last time: at 100 ms each, 5,000 deliveries per second. An endpoint
   * that begins to hang costs one timeout and then uses the retry queue. Events are expected within seconds.
   */
  delivery: { id: 'Deliveries', worker: 'deliver', batchSize: 10, concurrencyMax: 50, waitMaxSeconds: 300, isSlow: true },
  /**
   * All retries, and endpoints that failed, were slow or are new: twice the concurrency, because each may hang for up to 60 s.
   * SQS fair queues alternate between organizations, so that hanging endpoints do not delay those of others.
   */
  deliveryRetry: {
    id: 'SlowDeliveries',
    worker: 'deliverRetry',
    batchSize: 10,
    concurrencyMax: 100,
    waitMaxSeconds: 3_600,
    isSlow: true,
  },
  /** Schedule runs and changes: a few calls to the table and the Scheduler each. A nightly peak is processed within minutes. */
  schedule: { id: 'Schedules', worker: 'scheduleRun', batchSize: 5, concurrencyMax: 10, waitMaxSeconds: 900, isSlow: false },
  /**
   * One project per message for as long as its worker listens, so this is the number of projects with continuous capture; others
   * are captured cycle by cycle. A message stays until its worker ends, so its age means nothing.
   */
  capture: { id: 'Captures', worker: 'capture', batchSize: 1, concurrencyMax: 150, waitMaxSeconds: undefined, isSlow: true },
  /** A part of a project a day, which nothing waits for. A message may use the whole timeout. */
  captureAudit: {
    id: 'CaptureAudits',
    worker: 'captureAudit',
    batchSize: 1,
    concurrencyMax: 4,
    waitMaxSeconds: 3_600,
    isSlow: true,
  },
  /** Incidents and their e-mails: a few calls each. A failure is reported within a minute. */
  incident: { id: 'Incidents', worker: 'incident', batchSize: 5, concurrencyMax: 5, waitMaxSeconds: 300, isSlow: false },
  /** Requests to chats and PagerDuty, at most 20 an hour for each alert: 40 at once. A relay of a customer may hang for 15 s. */
  alertDelivery: {
    id: 'AlertDeliveries',
    worker: 'alertDeliver',
    batchSize: 10,
    concurrencyMax: 4,
    waitMaxSeconds: 900,
    isSlow: true,
  },
} as const;
export type QueueName = keyof typeof workQueueSpecs;
export const queueNames = Object.keys(workQueueSpecs) as readonly QueueName[];
