/** The functions nobody calls over HTTP: what starts each, where it is and what it may use. */
import type { Use } from './uses.ts';

export interface Worker {
  /** The file whose export `handler` it is. */
  readonly entry: string;
  readonly summary: string;
  /** The stream of the table, the task queue, a step of a workflow, or a clock. */
  readonly trigger: 'stream' | 'queue' | 'step' | 'clock' | 'default-route';
  readonly timeoutSeconds: number;
  readonly uses: readonly Use[];
}

export const workers = {
  fallback: {
    entry: 'functions/api/fallback.ts',
    summary: 'Answers whatever no route matches: 404 or 405, in the envelope',
    trigger: 'default-route',
    timeoutSeconds: 5,
    uses: [],
  },
  fanOut: {
    entry: 'functions/event/fan-out.ts',
    summary: 'Hands the tasks that leave the table to the task queue',
    trigger: 'stream',
    timeoutSeconds: 30,
    uses: ['task:send'],
  },
  task: {
    entry: 'functions/event/task.ts',
    summary: 'Does one task: sends an invitation, starts a purge',
    trigger: 'queue',
    timeoutSeconds: 30,
    uses: ['table:read', 'secret:service', 'link:make', 'mail:send', 'purge:start'],
  },
  sweep: {
    entry: 'functions/organization/sweep.ts',
    summary: 'Every hour: asks for the purge of organizations whose recovery deadline has passed',
    trigger: 'clock',
    timeoutSeconds: 60,
    uses: ['table:read', 'task:send'],
  },
  purge: {
    entry: 'functions/organization/purge.ts',
    summary: 'Removes a bounded part of an organization and says whether anything is left',
    trigger: 'step',
    timeoutSeconds: 60,
    uses: ['table:purge'],
  },
} as const satisfies Record<string, Worker>;

export type WorkerName = keyof typeof workers;
