/** Tasks: asynchronous work, as the messages of the queues describe it. */
import * as z from 'zod';
import { id, Moment } from '../contract/fields.ts';
import { disabledReasons, replayStatuses } from '../contract/models/webhook-enums.ts';

export const Task = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('send-invitation'), invitationId: id('invitation') }),
  z.object({ kind: z.literal('purge-organization'), deleteBackupData: z.boolean() }),
  z.object({ kind: z.literal('start-backup'), backupId: id('backup') }),
  z.object({ kind: z.literal('start-verification'), backupId: id('backup') }),
  /** Each attempt runs its own workflow. */
  z.object({ kind: z.literal('start-restore'), restoreJobId: id('restore'), attempt: z.int().min(1) }),
  z.object({ kind: z.literal('erase-backup'), backupId: id('backup') }),
  /** Continues after the backup `after`. A walk ends when a newer one has started. */
  z.object({ kind: z.literal('rewrap-keys'), walk: z.string(), after: id('backup').optional() }),
  /** Finishes a move of a project whose call has ended, or reverts it if the project has not switched yet. */
  z.object({ kind: z.literal('finish-move'), projectId: id('project'), moveId: z.string() }),
  /** Creates the deliveries of an event. Only names the event, which may exceed the size of a message. */
  z.object({ kind: z.literal('match-event'), eventId: id('event') }),
  /**
   * One attempt of a delivery, by its number. An attempt made already is skipped; one that is ahead makes the missing attempt.
   * `notBefore` is set only if the Scheduler did not accept the entry.
   */
  z.object({
    kind: z.literal('deliver'),
    webhookId: id('webhook'),
    deliveryId: id('delivery'),
    attempt: z.int().min(1),
    notBefore: Moment.optional(),
  }),
  /** The endpoint answered 410, or every delivery has failed since then. */
  z.object({
    kind: z.literal('disable-webhook'),
    webhookId: id('webhook'),
    reason: z.enum(disabledReasons),
    failingSince: Moment,
    /** The revision that the failed attempt used. A change since then cancels the task. */
    revision: z.int().min(1),
  }),
  /** E-mails the owner that the service disabled a webhook. */
  z.object({ kind: z.literal('notify-webhook-disabled'), webhookId: id('webhook') }),
  /** Sends the events of a time range again, continuing after the event `after`. One walk starts no delivery twice. */
  z.object({
    kind: z.literal('replay-webhook'),
    walk: z.string(),
    webhookId: id('webhook'),
    from: Moment,
    to: Moment,
    events: z.array(z.string()),
    status: z.enum(replayStatuses),
    after: id('event').optional(),
  }),
  /**
   * The schedule is due at `at`, which the Scheduler fills in. Starts one backup, however often it is delivered. `tries` counts
   * how often it was postponed because the project had a job.
   */
  z.object({ kind: z.literal('run-schedule'), scheduleId: id('schedule'), at: Moment, tries: z.int().min(1).optional() }),
  /** Synchronises the Scheduler's entries with the schedule: none if it is deleted or paused. */
  z.object({ kind: z.literal('sync-schedule'), scheduleId: id('schedule') }),
  /**
   * The same for every schedule, or those of one project, continuing after the schedule `after`. `deletedProjectName` is set if the
   * project was deleted: its schedules are then deleted, too.
   */
  z.object({
    kind: z.literal('sync-schedules'),
    projectId: id('project').optional(),
    deletedProjectName: z.string().optional(),
    after: id('schedule').optional(),
  }),
  /** A backup of the schedule has ended, in whatever status. */
  z.object({ kind: z.literal('schedule-outcome'), scheduleId: id('schedule'), backupId: id('backup') }),
  /**
   * Captures the changes since the last cycle. A message of a cycle that is not due does nothing. `isRelief`: a handover from the
   * worker that is listening, which finishes that cycle first.
   */
  z.object({ kind: z.literal('capture'), projectId: id('project'), turn: z.int().min(0), isRelief: z.boolean().optional() }),
  /** Creates a synthetic full backup from a long chain, without reading the source. */
  z.object({ kind: z.literal('synthesize-full'), backupId: id('backup') }),
  /** Expires the backups that are past the organization's retention. */
  z.object({ kind: z.literal('apply-retention') }),
  /** Deletes the batches of changes that no recovery window needs any more. */
  z.object({ kind: z.literal('expire-captures'), projectId: id('project') }),
]);
export type Task = z.output<typeof Task>;

export type Queue = 'task' | 'bucketWork' | 'eventMatch' | 'delivery' | 'deliveryRetry' | 'schedule' | 'capture';

/**
 * Tasks that use customers' buckets may take minutes or hang. They have their own queue and worker (`bucketWork`), so that no
 * invitation and no start of a backup waits behind them.
 */
const queues: Readonly<Record<Task['kind'], Queue>> = {
  'send-invitation': 'task',
  'purge-organization': 'task',
  'start-backup': 'task',
  'start-verification': 'task',
  'start-restore': 'task',
  'erase-backup': 'bucketWork',
  'rewrap-keys': 'bucketWork',
  'finish-move': 'bucketWork',
  'match-event': 'eventMatch',
  // Retries by hand: their endpoint has failed before.
  deliver: 'deliveryRetry',
  'disable-webhook': 'task',
  'notify-webhook-disabled': 'task',
  // A month of events takes many minutes.
  'replay-webhook': 'bucketWork',
  'run-schedule': 'schedule',
  'sync-schedule': 'schedule',
  'sync-schedules': 'schedule',
  'schedule-outcome': 'schedule',
  capture: 'capture',
  'synthesize-full': 'schedule',
  'apply-retention': 'bucketWork',
  'expire-captures': 'bucketWork',
};

export const queueOf = ({ kind }: Task): Queue => queues[kind];

/** `id` identifies the task: a duplicate message has the same one. */
export const TaskMessage = z.object({ id: id('task'), organizationId: id('organization'), task: Task });
export type TaskMessage = z.output<typeof TaskMessage>;

const kinds: readonly string[] = Task.options.map(({ shape }) => shape.kind.value);

/** Kinds as earlier versions named them: their messages are still in queues, outbox items and Scheduler entries. */
const renamedKinds: Readonly<Record<string, Task['kind']>> = {
  'tell-disabled': 'notify-webhook-disabled',
  match: 'match-event',
  tick: 'run-schedule',
  'forget-captures': 'expire-captures',
  'settle-move': 'finish-move',
};

/** Undefined if this version does not know the kind. Throws for an incomplete message. */
export const readTask = (body: string): TaskMessage | undefined => {
  const message = JSON.parse(body) as { task?: { kind?: unknown } };
  const name = String(message.task?.kind);
  const kind = Object.hasOwn(renamedKinds, name) ? renamedKinds[name] : name;
  return kinds.includes(kind ?? '') ? TaskMessage.parse({ ...message, task: { ...message.task, kind } }) : undefined;
};
