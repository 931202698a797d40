/** Work that must follow a change: what a message of a queue says. */
import * as z from 'zod';
import { id, Moment } from '../contract/fields.ts';
import { disabledReasons, replayStatuses } from '../contract/models/webhook-enums.ts';

export const Task = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('send-invitation'), invitationId: id('invitation') }),
  z.object({ kind: z.literal('purge-organization'), deleteBackupData: z.boolean() }),
  z.object({ kind: z.literal('start-backup'), backupId: id('backup') }),
  z.object({ kind: z.literal('start-verification'), backupId: id('backup') }),
  /** Each attempt has a workflow of its own. */
  z.object({ kind: z.literal('start-restore'), restoreJobId: id('restore'), attempt: z.int().min(1) }),
  z.object({ kind: z.literal('erase-backup'), backupId: id('backup') }),
  /** Goes on after the backup named, if one is; a walk that another has overtaken ends. */
  z.object({ kind: z.literal('rewrap-keys'), walk: z.string(), after: id('backup').optional() }),
  /** Brings a move of a project to its end, whoever began it: finished if the project has moved, taken back if not. */
  z.object({ kind: z.literal('settle-move'), projectId: id('project'), moveId: z.string() }),
  /** Finds who is to hear of an event. It is in the table, however large: a message names it only. */
  z.object({ kind: z.literal('match'), eventId: id('event') }),
  /**
   * The attempt of a delivery with that number: one that was made is not made again, one that is ahead makes the one that is
   * missing. `notBefore` only where the Scheduler did not take it.
   */
  z.object({
    kind: z.literal('deliver'),
    webhookId: id('webhook'),
    deliveryId: id('delivery'),
    attempt: z.int().min(1),
    notBefore: Moment.optional(),
  }),
  /** The endpoint answered 410, or has failed everything since that moment. */
  z.object({
    kind: z.literal('disable-webhook'),
    webhookId: id('webhook'),
    reason: z.enum(disabledReasons),
    failingSince: Moment,
    /** Of the webhook as the request was made of it: a change since then calls it off. */
    revision: z.int().min(1),
  }),
  /** Tells the owner why the service disabled a webhook. */
  z.object({ kind: z.literal('tell-disabled'), webhookId: id('webhook') }),
  /** Sends the events of a time range again; goes on after the event named, if one is. One walk sends none of them twice. */
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
   * The schedule is due, or was, at that moment: however often it is told, it makes one backup. The Scheduler puts the moment in.
   * `tries` says how often it was put off because the project had a job.
   */
  z.object({ kind: z.literal('tick'), scheduleId: id('schedule'), at: Moment, tries: z.int().min(1).optional() }),
  /** Makes the Scheduler's entries what the schedule says now: none, if it is gone or paused. */
  z.object({ kind: z.literal('sync-schedule'), scheduleId: id('schedule') }),
  /**
   * The same of every schedule, of a project if one is named; goes on after the schedule named, if one is. With the name that the
   * project had it was deleted, and its schedules go with it.
   */
  z.object({
    kind: z.literal('sync-schedules'),
    projectId: id('project').optional(),
    deletedProjectName: z.string().optional(),
    after: id('schedule').optional(),
  }),
  /** A backup of the schedule has ended, one way or the other. */
  z.object({ kind: z.literal('schedule-outcome'), scheduleId: id('schedule'), backupId: id('backup') }),
  /** Captures what changed since the last turn; a message of another turn than the one that is due does nothing. */
  /** `isRelief`: whoever listens now leaves when that turn is over, and is heard out first. */
  z.object({ kind: z.literal('capture'), projectId: id('project'), turn: z.int().min(0), isRelief: z.boolean().optional() }),
  /** Makes a full backup of what a long chain holds, without reading the source. */
  z.object({ kind: z.literal('synthesize-full'), backupId: id('backup') }),
  /** Removes what the organization's retention does not keep. */
  z.object({ kind: z.literal('apply-retention') }),
  /** Removes the batches of changes that no window reaches back to any more. */
  z.object({ kind: z.literal('forget-captures'), projectId: id('project') }),
]);
export type Task = z.output<typeof Task>;

export type Queue = 'task' | 'chore' | 'match' | 'delivery' | 'slowDelivery' | 'schedule' | 'capture';

/**
 * Chores reach into customers' buckets, which may take minutes or never answer: they have a queue and a worker of their own, so
 * that no invitation and no start of a backup ever waits behind one.
 */
const queues: Readonly<Record<Task['kind'], Queue>> = {
  'send-invitation': 'task',
  'purge-organization': 'task',
  'start-backup': 'task',
  'start-verification': 'task',
  'start-restore': 'task',
  'erase-backup': 'chore',
  'rewrap-keys': 'chore',
  'settle-move': 'chore',
  match: 'match',
  // What is asked for by hand failed before: it takes the lane of those.
  deliver: 'slowDelivery',
  'disable-webhook': 'task',
  'tell-disabled': 'task',
  // A month of events may take many minutes, too.
  'replay-webhook': 'chore',
  tick: 'schedule',
  'sync-schedule': 'schedule',
  'sync-schedules': 'schedule',
  'schedule-outcome': 'schedule',
  capture: 'capture',
  'synthesize-full': 'schedule',
  'apply-retention': 'chore',
  'forget-captures': 'chore',
};

export const queueOf = ({ kind }: Task): Queue => queues[kind];

/** The id is the task's own: the same task delivered twice has the same one. */
export const TaskMessage = z.object({ id: id('task'), organizationId: id('organization'), task: Task });
export type TaskMessage = z.output<typeof TaskMessage>;

const kinds: readonly string[] = Task.options.map(({ shape }) => shape.kind.value);

/** What a message of a queue asks for; undefined if it is of a kind this version does not know. Throws for one that is not whole. */
export const readTask = (body: string): TaskMessage | undefined => {
  const message = JSON.parse(body) as { task?: { kind?: unknown } };
  return kinds.includes(String(message.task?.kind)) ? TaskMessage.parse(message) : undefined;
};
