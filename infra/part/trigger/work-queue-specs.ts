/**
 * The queues: who works on each, what it takes at once, and after how long a wait it rings. What runs at once must not use up the
 * account's concurrency (1,000 unless raised), nor what SES sends a second.
 */
export const queues = {
  /** Ten small tasks fit well into the worker's time, and SQS sends no more without a wait. Mail is expected within minutes. */
  task: { id: 'Tasks', worker: 'task', batchSize: 10, concurrencyMax: 5, waitMaxSeconds: 900 },
  /** A chore may take all of its worker's time, and comes alone. Nobody waits for one, and a burst of them may take an hour. */
  chore: { id: 'Chores', worker: 'chore', batchSize: 1, concurrencyMax: 10, waitMaxSeconds: 3_600 },
  /**
   * Ten events for 1,000 webhooks each, the most there may be, are 10,000 deliveries at some 1 ms of a core: a quarter of the
   * worker's time. Ten workers make 10,000 deliveries a second, twice what the quick lane sends: who has many waits there, and an
   * event that comes meanwhile is matched at once. Events are expected within seconds.
   */
  match: { id: 'Matches', worker: 'match', batchSize: 10, concurrencyMax: 10, waitMaxSeconds: 300 },
  /**
   * 500 requests at once, of endpoints that were quick the last time: at 100 ms each, 5,000 deliveries a second. One that begins to
   * hang costs one timeout, then it is on the other lane, with all that waits for it. Events are expected within seconds.
   */
  delivery: { id: 'Deliveries', worker: 'deliver', batchSize: 10, concurrencyMax: 50, waitMaxSeconds: 300 },
  /**
   * Endpoints that failed, were slow or are new, and every retry: twice as many places, because each may hang for up to 60 s. SQS
   * deals them out by turns of organizations, so that a new endpoint does not wait for those of another that hang.
   */
  slowDelivery: { id: 'SlowDeliveries', worker: 'deliverSlow', batchSize: 10, concurrencyMax: 100, waitMaxSeconds: 3_600 },
  /** A tick, and what follows a change of a schedule: some calls of the table and of the Scheduler each. A nightly crowd is worked off in minutes. */
  schedule: { id: 'Schedules', worker: 'scheduleRun', batchSize: 5, concurrencyMax: 10, waitMaxSeconds: 900 },
  /**
   * One project a time, for as long as its worker listens, which is most of the time: so many projects can be listened to at once, and
   * what comes late is captured turn by turn. A message is there until its worker has left: its age says nothing.
   */
  capture: { id: 'Captures', worker: 'capture', batchSize: 1, concurrencyMax: 150, waitMaxSeconds: undefined },
} as const;
export type QueueName = keyof typeof queues;
export const queueNames = Object.keys(queues) as readonly QueueName[];
