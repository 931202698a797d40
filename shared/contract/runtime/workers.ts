/** Functions that are not called over HTTP: trigger, entry point, timeout and capabilities of each. */

import type { Capability } from '../capabilities.ts';
import { taskSeconds } from '../limits.ts';

export interface Worker {
  readonly entry: string;
  /** The name that the file exports; `handler` unless told. Functions of one entry share its bundle. */
  readonly handler?: string;
  readonly summary: string;
  /** The table's stream, a queue, a workflow step, a periodic trigger, the API's default route, or CloudFormation at a deployment. */
  readonly trigger: 'stream' | 'queue' | 'step' | 'clock' | 'default-route' | 'deployment';
  readonly timeoutSeconds: number;
  /** Defaults to 512; Lambda provides a full core at 1,769 MB. */
  readonly memoryMegabytes?: number;
  /** The worker delays work by sending to its own queue. Lambda's loop detection, which drops messages after about 16 rounds, is off. */
  readonly sendsToItself?: true;
  readonly capabilities: readonly Capability[];
}

/**
 * A webhook request takes at most 60 s; the rest is for recording it. A retry that the Scheduler rejects is requeued every 15 minutes,
 * up to 16 times within the longest delay of four hours.
 */
const delivery = {
  entry: 'functions/webhook/deliver.ts',
  trigger: 'queue',
  timeoutSeconds: 75,
  sendsToItself: true,
  capabilities: ['delivery:keep', 'delivery:retry', 'delivery:later', 'webhook:send', 'task:send'],
} as const;

const starts = ['purge:start', 'backup:start', 'verify:start', 'restore:start', 'restore-test:start', 'export:start'] as const;

/** A step that reads or writes documents, on a full core for as long as Lambda allows. */
const longStep = { trigger: 'step', timeoutSeconds: 900, memoryMegabytes: 1_769 } as const;
const watchdog = { trigger: 'clock', timeoutSeconds: 300 } as const;

export const workers = {
  fallback: {
    entry: 'functions/gateway/fallback.ts',
    summary: 'Responds with 404 or 405 to requests that match no route',
    trigger: 'default-route',
    timeoutSeconds: 5,
    capabilities: [],
  },
  schemaCheck: {
    entry: 'functions/deployment/check-schema.ts',
    summary: 'Refuses the deployment of an earlier release than the one that has written the table',
    trigger: 'deployment',
    timeoutSeconds: 30,
    capabilities: ['schema:read'],
  },
  fanOut: {
    entry: 'functions/event/fan-out.ts',
    summary: 'Forwards tasks and events from the table stream to their queues',
    trigger: 'stream',
    timeoutSeconds: 30,
    capabilities: [
      'task:send',
      'bucket-work:send',
      'event-match:send',
      'delivery:send',
      'schedule:send',
      'capture:send',
      'capture-audit:send',
      'incident:send',
      'alert-delivery:send',
    ],
  },
  task: {
    entry: 'functions/event/task.ts',
    summary: 'Runs short tasks: sends e-mails, starts workflows, disables dead webhooks, revokes the access of former members',
    trigger: 'queue',
    timeoutSeconds: taskSeconds,
    capabilities: ['table:write', 'secret:service', 'link:make', 'mail:send', ...starts],
  },
  bucketWork: {
    entry: 'functions/event/bucket-work.ts',
    summary:
      'Runs long tasks: deletes objects of retired backups, applies retention, rewraps keys, replays events, finishes moves, stores and assesses erasures',
    trigger: 'queue',
    timeoutSeconds: 300,
    capabilities: ['table:write', 'destination:use', 'data-key:make', 'data-key:open', 'delivery:retry'],
  },
  eventMatch: {
    entry: 'functions/webhook/match.ts',
    summary: 'Creates a delivery for every webhook that subscribes to an event',
    trigger: 'queue',
    timeoutSeconds: 60,
    memoryMegabytes: 1_769,
    capabilities: ['delivery:keep', 'delivery:send'],
  },
  deliver: { ...delivery, summary: 'Sends events to webhooks that respond quickly' },
  deliverRetry: { ...delivery, summary: 'Sends events to webhooks that are new, failing or slow, and all retries' },
  sweep: {
    entry: 'functions/organization/sweep.ts',
    summary: 'Every hour: starts the purge of organizations past their recovery deadline',
    trigger: 'clock',
    timeoutSeconds: 60,
    capabilities: ['table:read-only', 'task:send'],
  },
  purge: {
    entry: 'functions/organization/purge.ts',
    summary: 'Deletes a bounded part of an organization and reports whether anything is left',
    trigger: 'step',
    // A purge of a day must not reach the limit of an execution's history: half of this is a round.
    timeoutSeconds: 120,
    capabilities: ['table:purge', 'destination:use', 'schedule:remove'],
  },
  backupPrepare: {
    entry: 'functions/backup/workflow.ts',
    handler: 'prepare',
    summary: 'Starts a backup: marks it running, generates its data key, checks access to the source',
    trigger: 'step',
    timeoutSeconds: 60,
    capabilities: ['table:write', 'source:read', 'destination:use', 'data-key:make'],
  },
  backupPlan: {
    entry: 'functions/backup/workflow.ts',
    handler: 'plan',
    summary: 'Chooses the read time and splits the database, or the backup that another is built from, into ranges',
    trigger: 'step',
    timeoutSeconds: 300,
    memoryMegabytes: 1_769,
    capabilities: ['table:write', 'source:read', 'destination:use', 'data-key:open'],
  },
  backupCopy: {
    entry: 'functions/backup/workflow.ts',
    handler: 'copy',
    summary: 'Copies one range to the destination until it is done or the time is up',
    ...longStep,
    capabilities: ['table:write', 'source:read', 'destination:use', 'data-key:open'],
  },
  backupSeal: {
    entry: 'functions/backup/workflow.ts',
    handler: 'seal',
    summary: 'Verifies that every object is stored, writes the manifest, reads it back and completes the backup',
    ...longStep,
    capabilities: ['table:write', 'destination:use', 'data-key:open'],
  },
  backupFail: {
    entry: 'functions/backup/workflow.ts',
    handler: 'fail',
    summary: 'Ends a failed or cancelled backup: records the reason, unlocks the project, deletes its objects',
    trigger: 'step',
    timeoutSeconds: 300,
    capabilities: ['table:write', 'destination:use'],
  },
  backupReap: {
    entry: 'functions/backup/workflow.ts',
    handler: 'reap',
    summary: 'Every few minutes: ends backups whose workflow died or whose deadline passed',
    ...watchdog,
    capabilities: ['table:write', 'destination:use', 'backup:watch', 'backup:start'],
  },
  backupVerify: {
    entry: 'functions/backup/workflow.ts',
    handler: 'verify',
    summary: 'Verifies a part of a stored backup and reports whether anything is left',
    ...longStep,
    capabilities: ['table:write', 'destination:use', 'data-key:open'],
  },
  restorePrepare: {
    entry: 'functions/restore/workflow.ts',
    handler: 'prepare',
    summary:
      'Starts a restore: checks access to the target, opens the backup or builds it from a point in time, splits it into ranges',
    ...longStep,
    capabilities: ['table:write', 'source:read', 'destination:use', 'data-key:make', 'data-key:open'],
  },
  restoreCheck: {
    entry: 'functions/restore/workflow.ts',
    handler: 'check',
    summary: 'Compares one range of the backup with the target and saves the documents that will change',
    ...longStep,
    capabilities: ['table:write', 'source:read', 'destination:use', 'data-key:open'],
  },
  restoreSeal: {
    entry: 'functions/restore/workflow.ts',
    handler: 'seal',
    summary: 'Completes the safety backup once everything is checked; nothing is written to the target before',
    trigger: 'step',
    timeoutSeconds: 300,
    memoryMegabytes: 1_769,
    capabilities: ['table:write', 'destination:use', 'data-key:open'],
  },
  restoreWrite: {
    entry: 'functions/restore/workflow.ts',
    handler: 'write',
    summary: 'Writes one range of the plan to the target until it is done or the time is up',
    ...longStep,
    capabilities: ['table:write', 'source:read', 'destination:use', 'data-key:open'],
  },
  restoreFinish: {
    entry: 'functions/restore/workflow.ts',
    handler: 'finish',
    summary: 'Accounts for every document of the plan and ends the restore',
    trigger: 'step',
    timeoutSeconds: 300,
    capabilities: ['table:write', 'destination:use'],
  },
  restoreFail: {
    entry: 'functions/restore/workflow.ts',
    handler: 'fail',
    summary: 'Ends a failed or cancelled restore: records the reason, unlocks the target, deletes objects that no undo needs',
    trigger: 'step',
    timeoutSeconds: 300,
    capabilities: ['table:write', 'destination:use'],
  },
  restoreReap: {
    entry: 'functions/restore/workflow.ts',
    handler: 'reap',
    summary: 'Every few minutes: ends restores whose workflow died',
    ...watchdog,
    capabilities: ['table:write', 'destination:use', 'restore:watch', 'restore:start'],
  },
  exportRun: {
    entry: 'functions/export/workflow.ts',
    handler: 'run',
    summary:
      'Continues an export: waits for the backup of a moment, splits the backup into ranges, joins the columns, completes or fails',
    ...longStep,
    capabilities: ['table:write', 'destination:use', 'data-key:open', 'data-key:name'],
  },
  exportShard: {
    entry: 'functions/export/workflow.ts',
    handler: 'shard',
    summary: 'Reads one range of the backup to find its columns, or writes its files',
    ...longStep,
    capabilities: ['table:write', 'destination:use', 'data-key:open'],
  },
  exportReap: {
    entry: 'functions/export/workflow.ts',
    handler: 'reap',
    summary: 'Every few minutes: continues exports whose workflow died, and deletes the files of those that failed',
    ...watchdog,
    capabilities: ['table:write', 'destination:use', 'export:watch', 'export:start'],
  },
  scheduleRun: {
    entry: 'functions/schedule/run.ts',
    summary: 'Starts due scheduled backups and keeps the Scheduler entries in sync',
    trigger: 'queue',
    timeoutSeconds: 60,
    sendsToItself: true,
    capabilities: ['table:write', 'data-key:name', 'schedule:enter', 'schedule:send'],
  },
  scheduleWatch: {
    entry: 'functions/schedule/watch.ts',
    summary: 'Every few minutes: re-sends lost ticks and reports missed ones',
    ...watchdog,
    capabilities: ['table:write', 'schedule:send'],
  },
  capture: {
    entry: 'functions/pitr/capture.ts',
    summary: 'Captures the changes of a project, cycle after cycle, until its successor takes over',
    trigger: 'queue',
    // Mostly idle while listening; memory determines the cost, so it keeps the default.
    timeoutSeconds: 900,
    sendsToItself: true,
    capabilities: ['table:write', 'source:read', 'destination:use', 'data-key:open', 'data-key:name', 'capture:send'],
  },
  captureAudit: {
    entry: 'functions/pitr/audit.ts',
    summary: 'Reads a part of a captured project again, compares it with what was captured, and corrects what differs',
    trigger: 'queue',
    timeoutSeconds: 300,
    memoryMegabytes: 1_769,
    sendsToItself: true,
    capabilities: ['table:write', 'source:read', 'destination:use', 'data-key:open', 'data-key:name', 'capture-audit:send'],
  },
  captureWatch: {
    entry: 'functions/pitr/watch.ts',
    summary: 'Every few minutes: restarts captures whose next cycle is overdue, and starts audits that are due',
    ...watchdog,
    capabilities: ['table:write', 'capture:send', 'capture-audit:send', 'bucket-work:send'],
  },
  retentionSweep: {
    entry: 'functions/retention/sweep.ts',
    summary: 'Every hour: starts retention for organizations with backups due',
    trigger: 'clock',
    timeoutSeconds: 60,
    capabilities: ['table:read-only', 'bucket-work:send'],
  },
  incident: {
    entry: 'functions/alert/incident.ts',
    summary: 'Opens and closes incidents, creates their messages, and sends those by e-mail',
    trigger: 'queue',
    timeoutSeconds: taskSeconds,
    sendsToItself: true,
    capabilities: ['table:write', 'mail:send', 'link:make', 'incident:send', 'alert-delivery:send'],
  },
  alertDeliver: {
    entry: 'functions/alert/deliver.ts',
    summary: 'Sends messages about incidents to chats and PagerDuty',
    trigger: 'queue',
    timeoutSeconds: 60,
    sendsToItself: true,
    capabilities: ['delivery:keep', 'alert:send', 'alert-delivery:send', 'incident:send'],
  },
  alertSweep: {
    entry: 'functions/alert/sweep.ts',
    summary:
      'Every ten minutes: looks for silence (overdue schedules, lapsed protection, stalled captures) in every organization; notes the schema of the table',
    trigger: 'clock',
    timeoutSeconds: 300,
    capabilities: ['table:read-only', 'schema:raise', 'incident:send'],
  },
  restoreTestRun: {
    entry: 'functions/restore-test/workflow.ts',
    handler: 'run',
    summary: 'Continues the run of a restore test: reads, restores, compares, removes and records evidence',
    trigger: 'step',
    timeoutSeconds: 900,
    // A full core, as the steps of backups and restores.
    memoryMegabytes: 1_769,
    capabilities: [
      'table:write',
      'source:read',
      'destination:use',
      'data-key:open',
      'data-key:name',
      'restore-test:send',
      'evidence:sign',
    ],
  },
  restoreTestReap: {
    entry: 'functions/restore-test/workflow.ts',
    handler: 'reap',
    summary: 'Every few minutes: continues restore tests whose workflow died',
    trigger: 'clock',
    timeoutSeconds: 300,
    capabilities: ['table:write', 'restore-test:watch', 'restore-test:start'],
  },
} as const satisfies Record<string, Worker>;

export type WorkerName = keyof typeof workers;
