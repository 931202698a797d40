import type { Schedule, ScheduleInput } from '../../../data/schedules.ts';
import { type CronChoice, choiceOf, cronOf } from '../../../forms/cron/cron-choice.ts';
import type { Retention } from '../preview/simulate-retention.ts';

export type Scope = 'all' | 'only' | 'except';

/** What the form holds. */
export interface Draft {
  readonly projectId: string;
  readonly name: string;
  readonly choice: CronChoice;
  readonly timezone: string;
  readonly type: 'full' | 'incremental';
  readonly retention: Retention;
  readonly scope: Scope;
  /** The named collections of `only` or `except`. */
  readonly collections: readonly string[];
  readonly includeAuthUsers: boolean;
  readonly source: Schedule['source'];
  /** Empty for the default. */
  readonly storageDestinationId: string;
}

export const defaultPolicy = { daily: 7, weekly: 4, monthly: 12, yearly: 0 } as const;

export const newDraft = (projectId: string, timezone: string): Draft => ({
  projectId,
  name: 'Nightly',
  choice: { kind: 'daily', time: '02:30' },
  timezone,
  type: 'incremental',
  retention: { kind: 'policy', policy: defaultPolicy },
  scope: 'all',
  collections: [],
  includeAuthUsers: false,
  source: 'auto',
  storageDestinationId: '',
});

export const retentionOf = ({ retention, retentionPolicy }: Schedule): Retention => {
  if (retentionPolicy) return { kind: 'policy', policy: retentionPolicy };
  return retention === null ? { kind: 'forever' } : { kind: 'days', days: retention };
};

export const draftOf = (schedule: Schedule): Draft => {
  const isAll = schedule.collections.includes('*');
  return {
    projectId: schedule.projectId,
    name: schedule.name,
    choice: choiceOf(schedule.cron),
    timezone: schedule.timezone,
    type: schedule.type,
    retention: retentionOf(schedule),
    scope: !isAll ? 'only' : schedule.excludeCollections.length > 0 ? 'except' : 'all',
    collections: isAll ? schedule.excludeCollections : schedule.collections,
    includeAuthUsers: schedule.includeAuthUsers,
    source: schedule.source,
    storageDestinationId: schedule.storageDestinationId ?? '',
  };
};

/** What the API takes; retention days and a policy exclude each other. */
export const inputOf = (draft: Draft): ScheduleInput => {
  const { retention, scope, collections } = draft;
  return {
    projectId: draft.projectId,
    name: draft.name,
    cron: cronOf(draft.choice),
    timezone: draft.timezone,
    type: draft.type,
    retention: retention.kind === 'days' ? retention.days : null,
    retentionPolicy: retention.kind === 'policy' ? retention.policy : null,
    collections: scope === 'only' ? [...collections] : ['*'],
    excludeCollections: scope === 'except' ? [...collections] : [],
    includeAuthUsers: draft.includeAuthUsers,
    source: draft.source,
    storageDestinationId: draft.storageDestinationId === '' ? null : draft.storageDestinationId,
  };
};
