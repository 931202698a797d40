/** Tasks: asynchronous work, as the messages of the queues describe it. */
import * as z from 'zod/mini';
import { id, Moment } from '../contract/fields.ts';
import { disabledReasons, replayStatuses } from '../contract/models/webhook-enums.ts';

const alertAttempt = {
  alertId: id('alert'),
  deliveryId: id('delivery'),
  attempt: z.int().check(z.minimum(1)),
  notBefore: z.optional(Moment),
};

export const Task = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('send-invitation'), invitationId: id('invitation') }),
  z.object({ kind: z.literal('purge-organization'), deleteBackupData: z.boolean() }),
  /** E-mails the owner that the organization was deleted and until when it can be recovered. */
  z.object({ kind: z.literal('notify-organization-deleted') }),
  /** E-mails a person that a device has signed in as them. */
  z.object({ kind: z.literal('notify-device-sign-in'), userId: id('user'), sessionId: id('session') }),
  /** After a member has left: revokes what their removal could not, such as a connection made at the same moment. */
  z.object({ kind: z.literal('finish-departure'), userId: id('user') }),
  z.object({ kind: z.literal('start-backup'), backupId: id('backup') }),
  z.object({ kind: z.literal('start-verification'), backupId: id('backup') }),
  /** Each attempt runs its own workflow. */
  z.object({ kind: z.literal('start-restore'), restoreJobId: id('restore'), attempt: z.int().check(z.minimum(1)) }),
  z.object({ kind: z.literal('start-export'), exportId: id('export'), attempt: z.int().check(z.minimum(1)) }),
  z.object({ kind: z.literal('start-restore-test'), runId: id('restoreTestRun'), attempt: z.int().check(z.minimum(1)) }),
  /** As `run-schedule` and `sync-schedule`: the plan is due, or its Scheduler entries must follow it. */
  z.object({ kind: z.literal('run-restore-test'), restoreTestId: id('restoreTest'), at: Moment }),
  z.object({ kind: z.literal('sync-restore-test'), restoreTestId: id('restoreTest') }),
  z.object({ kind: z.literal('erase-backup'), backupId: id('backup') }),
  /** Continues after the backup `after`, or starts again if the settings have changed since `walk`. */
  z.object({ kind: z.literal('rewrap-keys'), walk: z.string(), after: z.optional(id('backup')) }),
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
    attempt: z.int().check(z.minimum(1)),
    notBefore: z.optional(Moment),
  }),
  /** The endpoint answered 410, or every delivery has failed since then. */
  z.object({
    kind: z.literal('disable-webhook'),
    webhookId: id('webhook'),
    reason: z.enum(disabledReasons),
    failingSince: Moment,
    /** The revision that the failed attempt used. A change since then cancels the task. */
    revision: z.int().check(z.minimum(1)),
  }),
  /** E-mails the owner that the service disabled a webhook. */
  z.object({ kind: z.literal('notify-webhook-disabled'), webhookId: id('webhook') }),
  /** A webhook began or ceased to fail, was enabled, disabled or deleted: its records tell which. Opens or closes its incidents. */
  z.object({ kind: z.literal('apply-webhook'), webhookId: id('webhook') }),
  /** Opens or closes the incidents that an event concerns. */
  z.object({ kind: z.literal('apply-event'), eventId: id('event') }),
  /** A verification has passed or found damage: the record of the backup tells which. */
  z.object({ kind: z.literal('apply-verification'), backupId: id('backup') }),
  /** A backup was marked as unusual, or its mark was acknowledged: the record tells which. */
  z.object({ kind: z.literal('apply-anomaly'), backupId: id('backup') }),
  /** Looks for silence and for incidents that are over, and sends what was grouped. */
  z.object({ kind: z.literal('assess-incidents') }),
  /** Creates the messages about an incident that are still missing. */
  z.object({ kind: z.literal('notify-incident'), incidentId: id('incident') }),
  /** One attempt of a message, as `deliver`: by e-mail, or with a request to the provider. */
  z.object({ kind: z.literal('send-alert-email'), ...alertAttempt }),
  z.object({ kind: z.literal('deliver-alert'), ...alertAttempt }),
  /** As `disable-webhook`. */
  z.object({
    kind: z.literal('disable-alert'),
    alertId: id('alert'),
    reason: z.enum(disabledReasons),
    failingSince: Moment,
    revision: z.int().check(z.minimum(1)),
  }),
  /** E-mails the owner that the service disabled an alert. */
  z.object({ kind: z.literal('notify-alert-disabled'), alertId: id('alert') }),
  /** Sends the events of a time range again, continuing after the event `after`. One walk starts no delivery twice. */
  z.object({
    kind: z.literal('replay-webhook'),
    walk: z.string(),
    webhookId: id('webhook'),
    from: Moment,
    to: Moment,
    events: z.array(z.string()),
    status: z.enum(replayStatuses),
    after: z.optional(id('event')),
  }),
  /**
   * The schedule is due at `at`, which the Scheduler fills in. Starts one backup, however often it is delivered. `tries` counts
   * how often it was postponed because the project had a job.
   */
  z.object({
    kind: z.literal('run-schedule'),
    scheduleId: id('schedule'),
    at: Moment,
    tries: z.optional(z.int().check(z.minimum(1))),
  }),
  /** Synchronises the Scheduler's entries with the schedule: none if it is deleted or paused. */
  z.object({ kind: z.literal('sync-schedule'), scheduleId: id('schedule') }),
  /**
   * The same for every schedule and restore test, or those of one project, continuing after the schedule `after`. `deletedProjectName`
   * is set if the project was deleted: they are then deleted, too.
   */
  z.object({
    kind: z.literal('sync-schedules'),
    projectId: z.optional(id('project')),
    deletedProjectName: z.optional(z.string()),
    after: z.optional(id('schedule')),
  }),
  /** A backup of the schedule has ended, in whatever status. */
  z.object({ kind: z.literal('schedule-outcome'), scheduleId: id('schedule'), backupId: id('backup') }),
  /**
   * Captures the changes since the last cycle. A message of a cycle that is not due does nothing. `isRelief`: a handover from the
   * worker that is listening, which finishes that cycle first, and stops listening at `endsAt`.
   */
  z.object({
    kind: z.literal('capture'),
    projectId: id('project'),
    turn: z.int().check(z.minimum(0)),
    isRelief: z.optional(z.boolean()),
    endsAt: z.optional(z.string()),
  }),
  /** Reads the next documents of a project again, and compares them with what was captured. Without effect before it is due. */
  z.object({ kind: z.literal('audit-captures'), projectId: id('project') }),
  /** Creates a synthetic full backup from a long chain, without reading the source. */
  z.object({ kind: z.literal('synthesize-full'), backupId: id('backup') }),
  /** Expires the backups that are past the organization's retention. */
  z.object({ kind: z.literal('apply-retention') }),
  /** Deletes the batches of changes that no recovery window needs any more. */
  z.object({ kind: z.literal('expire-captures'), projectId: id('project') }),
  /** Writes the erasure ledger of a project beside its backups, continuing after the backup `after`. */
  z.object({
    kind: z.literal('store-erasures'),
    projectId: id('project'),
    /** Of a walk that continues: it ends when a newer one has started. */
    walk: z.optional(z.string()),
    after: z.optional(id('backup')),
  }),
  /** Looks up which backups hold the documents of the project's erasures, and ends those that none holds any more. */
  z.object({
    kind: z.literal('assess-erasures'),
    projectId: id('project'),
    /** Only this entry. */
    erasureId: z.optional(id('erasure')),
    /** Of a walk that continues: it starts with this entry. */
    from: z.optional(id('erasure')),
  }),
]);
export type Task = z.output<typeof Task>;
/** Tasks that belong to a person instead of an organization. */
export type PersonTask = Extract<Task, { kind: 'notify-device-sign-in' }>;

/** Takes the place of the organization in the messages of those. */
export const noOrganization = 'none';

/** `id` identifies the task: a duplicate message has the same one. */
export const TaskMessage = z.object({
  id: id('task'),
  organizationId: z.union([id('organization'), z.literal(noOrganization)]),
  task: Task,
});
export type TaskMessage = z.output<typeof TaskMessage>;

const kinds: readonly string[] = Task.def.options.flatMap(({ shape }) => shape.kind.def.values);

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
