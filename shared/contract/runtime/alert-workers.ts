/** The workers of incidents and alerts. */
import { taskSeconds } from '../limits.ts';

export const alertWorkers = {
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
      'Every ten minutes: looks for silence (overdue schedules, lapsed protection, stalled captures) in every organization',
    trigger: 'clock',
    timeoutSeconds: 300,
    capabilities: ['table:read-only', 'incident:send'],
  },
} as const;
