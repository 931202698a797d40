/** The functions nobody calls over HTTP: what starts each, where it is and what it may use. */

import type { Capability } from '../capabilities.ts';
import { taskSeconds } from '../limits.ts';

export interface Worker {
  /** The file whose export `handler` it is. */
  readonly entry: string;
  readonly summary: string;
  /** The stream of the table, a queue, a step of a workflow, or a clock. */
  readonly trigger: 'stream' | 'queue' | 'step' | 'clock' | 'default-route';
  readonly timeoutSeconds: number;
  /** Lambda gives a whole core at 1,769 MB; what only waits needs far less, 512 unless said. */
  readonly memoryMegabytes?: number;
  /** It may wait by sending a message to its own queue: Lambda takes that for a loop, and would drop the message after some 16 times. */
  readonly sendsToItself?: true;
  readonly capabilities: readonly Capability[];
}

/**
 * The longest request a webhook may ask for is 60 s; what is around it has the rest. A retry that the Scheduler does not take is
 * put off by the queue, 15 minutes at a time: 16 times in the four hours that the longest wait may have, besides the attempts.
 */
const delivery = {
  entry: 'functions/webhook/deliver.ts',
  trigger: 'queue',
  timeoutSeconds: 75,
  sendsToItself: true,
  capabilities: ['delivery:keep', 'delivery:retry', 'delivery:later', 'webhook:send', 'task:send'],
} as const;

export const workers = {
  fallback: {
    entry: 'functions/api/fallback.ts',
    summary: 'Answers whatever no route matches: 404 or 405, in the envelope',
    trigger: 'default-route',
    timeoutSeconds: 5,
    capabilities: [],
  },
  fanOut: {
    entry: 'functions/event/fan-out.ts',
    summary: 'Hands the tasks and events that leave the table to the queue each is for',
    trigger: 'stream',
    timeoutSeconds: 30,
    capabilities: ['task:send', 'chore:send', 'match:send', 'delivery:send', 'schedule:send', 'capture:send'],
  },
  task: {
    entry: 'functions/event/task.ts',
    summary: 'Does what is quickly done: sends an invitation, starts a workflow, disables a dead webhook',
    trigger: 'queue',
    timeoutSeconds: taskSeconds,
    capabilities: [
      'table:write',
      'secret:service',
      'link:make',
      'mail:send',
      'purge:start',
      'backup:start',
      'verify:start',
      'restore:start',
    ],
  },
  chore: {
    entry: 'functions/event/chore.ts',
    summary:
      "Does what takes its time: removes the objects of a backup that is gone from a customer's bucket, applies retention, wraps keys anew, replays events, settles a move",
    trigger: 'queue',
    timeoutSeconds: 300,
    capabilities: ['table:write', 'destination:use', 'data-key:wrap', 'data-key:open', 'delivery:retry'],
  },
  match: {
    entry: 'functions/webhook/match.ts',
    summary: 'Makes a delivery of every event for each webhook that is to hear of it',
    trigger: 'queue',
    timeoutSeconds: 60,
    memoryMegabytes: 1_769,
    capabilities: ['delivery:keep', 'delivery:send'],
  },
  deliver: { ...delivery, summary: 'Sends events to webhooks that answer quickly' },
  deliverSlow: {
    ...delivery,
    summary: 'Sends events to webhooks that are new, failed or were slow the last time, and all retries',
  },
  sweep: {
    entry: 'functions/organization/sweep.ts',
    summary: 'Every hour: asks for the purge of organizations whose recovery deadline has passed',
    trigger: 'clock',
    timeoutSeconds: 60,
    capabilities: ['table:look', 'task:send'],
  },
  purge: {
    entry: 'functions/organization/purge.ts',
    summary: 'Removes a bounded part of an organization and says whether anything is left',
    trigger: 'step',
    timeoutSeconds: 60,
    capabilities: ['table:purge', 'destination:use', 'schedule:remove'],
  },
  backupPrepare: {
    entry: 'functions/backup/prepare.ts',
    summary: 'Begins a backup: marks it running, makes its data key, asks the source whether it lets us in',
    trigger: 'step',
    timeoutSeconds: 60,
    capabilities: ['table:write', 'source:read', 'destination:use', 'data-key:make'],
  },
  backupPlan: {
    entry: 'functions/backup/plan.ts',
    summary: 'Chooses the read time and cuts the database, or the backup that another is made of, into ranges',
    trigger: 'step',
    timeoutSeconds: 300,
    memoryMegabytes: 1_769,
    capabilities: ['table:write', 'source:read', 'destination:use', 'data-key:open'],
  },
  backupCopy: {
    entry: 'functions/backup/copy.ts',
    summary: 'Copies one range into the destination, as far as its time reaches',
    trigger: 'step',
    timeoutSeconds: 900,
    memoryMegabytes: 1_769,
    capabilities: ['table:write', 'source:read', 'destination:use', 'data-key:open'],
  },
  backupSeal: {
    entry: 'functions/backup/seal.ts',
    summary: 'Proves that every object is stored, writes the manifest, reads it back and completes the backup',
    trigger: 'step',
    timeoutSeconds: 900,
    memoryMegabytes: 1_769,
    capabilities: ['table:write', 'destination:use', 'data-key:open'],
  },
  backupFail: {
    entry: 'functions/backup/fail.ts',
    summary: 'Ends a backup that failed or was cancelled: says why, frees the project, removes what was stored',
    trigger: 'step',
    timeoutSeconds: 300,
    capabilities: ['table:write', 'destination:use'],
  },
  backupReap: {
    entry: 'functions/backup/reap.ts',
    summary: 'Every few minutes: ends backups whose workflow died or which ran out of time',
    trigger: 'clock',
    timeoutSeconds: 300,
    capabilities: ['table:write', 'destination:use', 'backup:watch', 'backup:start'],
  },
  backupVerify: {
    entry: 'functions/backup/verify.ts',
    summary: 'Checks a part of a backup where it lies and says whether anything is left to check',
    trigger: 'step',
    timeoutSeconds: 900,
    memoryMegabytes: 1_769,
    capabilities: ['table:write', 'destination:use', 'data-key:open'],
  },
  restorePrepare: {
    entry: 'functions/restore/prepare.ts',
    summary:
      'Begins a restore: asks the target whether it lets us in, opens the backup, or makes it of a moment, and cuts it into ranges',
    trigger: 'step',
    timeoutSeconds: 900,
    memoryMegabytes: 1_769,
    capabilities: ['table:write', 'source:read', 'destination:use', 'data-key:make', 'data-key:open'],
  },
  restoreCheck: {
    entry: 'functions/restore/check.ts',
    summary: 'Reads and checks one range of the backup against the target, and saves what will be touched',
    trigger: 'step',
    timeoutSeconds: 900,
    memoryMegabytes: 1_769,
    capabilities: ['table:write', 'source:read', 'destination:use', 'data-key:open'],
  },
  restoreSeal: {
    entry: 'functions/restore/seal.ts',
    summary: 'Completes the safety backup once everything is checked; nothing is written to the target before',
    trigger: 'step',
    timeoutSeconds: 300,
    memoryMegabytes: 1_769,
    capabilities: ['table:write', 'destination:use', 'data-key:open'],
  },
  restoreWrite: {
    entry: 'functions/restore/write.ts',
    summary: 'Writes one range of the plan to the target, as far as its time reaches',
    trigger: 'step',
    timeoutSeconds: 900,
    memoryMegabytes: 1_769,
    capabilities: ['table:write', 'source:read', 'destination:use', 'data-key:open'],
  },
  restoreFinish: {
    entry: 'functions/restore/finish.ts',
    summary: 'Accounts for every document of the plan and ends the restore',
    trigger: 'step',
    timeoutSeconds: 300,
    capabilities: ['table:write', 'destination:use'],
  },
  restoreFail: {
    entry: 'functions/restore/fail.ts',
    summary: 'Ends a restore that failed or was cancelled: says why, frees the target, removes what no undo needs',
    trigger: 'step',
    timeoutSeconds: 300,
    capabilities: ['table:write', 'destination:use'],
  },
  restoreReap: {
    entry: 'functions/restore/reap.ts',
    summary: 'Every few minutes: ends restores whose workflow died',
    trigger: 'clock',
    timeoutSeconds: 300,
    capabilities: ['table:write', 'destination:use', 'restore:watch', 'restore:start'],
  },
  scheduleRun: {
    entry: 'functions/schedule/run.ts',
    summary: 'Starts the backup of a schedule that is due, and keeps the Scheduler’s entries as the schedules say',
    trigger: 'queue',
    timeoutSeconds: 60,
    sendsToItself: true,
    capabilities: ['table:write', 'data-key:name', 'schedule:enter', 'schedule:send'],
  },
  scheduleWatch: {
    entry: 'functions/schedule/watch.ts',
    summary: 'Every few minutes: makes up for ticks that did not come, and tells of those that were missed',
    trigger: 'clock',
    timeoutSeconds: 300,
    capabilities: ['table:write', 'schedule:send'],
  },
  capture: {
    entry: 'functions/pitr/capture.ts',
    summary: 'Listens to a project and captures what changes in it, turn after turn, until another one relieves it',
    trigger: 'queue',
    // It listens for most of it. Memory is what that costs, all the time: the usual.
    timeoutSeconds: 900,
    sendsToItself: true,
    capabilities: ['table:write', 'source:read', 'destination:use', 'data-key:open', 'data-key:name', 'capture:send'],
  },
  captureWatch: {
    entry: 'functions/pitr/watch.ts',
    summary: 'Every few minutes: starts captures again whose turn did not come',
    trigger: 'clock',
    timeoutSeconds: 300,
    capabilities: ['table:write', 'capture:send', 'chore:send'],
  },
  retentionSweep: {
    entry: 'functions/retention/sweep.ts',
    summary: 'Every hour: has the retention of each organization applied in which something is due',
    trigger: 'clock',
    timeoutSeconds: 60,
    capabilities: ['table:look', 'chore:send'],
  },
} as const satisfies Record<string, Worker>;

export type WorkerName = keyof typeof workers;
