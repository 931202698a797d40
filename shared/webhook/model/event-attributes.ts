import type { StoredEvent } from './record.ts';

/** What of an event filters and metadata speak of; null or empty where it has none. */
export interface EventAttributes {
  readonly projectIds: readonly string[];
  readonly trigger: string | null;
  readonly scheduleId: string | null;
}

/** Of every shape of the catalogue, what says which project it is about and what began it. */
interface EventPayload {
  readonly backup?: { readonly projectId: string; readonly trigger: string; readonly scheduleId: string | null };
  readonly restore?: { readonly projectId: string; readonly targetProjectId: string };
  readonly schedule?: { readonly id: string; readonly projectId: string };
  readonly project?: { readonly id: string };
  /** Of a schedule that was triggered: at its time, or by hand. */
  readonly trigger?: string;
}

/** A restore is of two projects, and whoever watches either is told. */
export const filterableAttributes = ({ type, data }: Pick<StoredEvent, 'type' | 'data'>): EventAttributes => {
  const { backup, restore, schedule, project, trigger } = data as EventPayload;
  const projectIds = [project?.id, backup?.projectId, restore?.projectId, restore?.targetProjectId, schedule?.projectId];
  return {
    projectIds: [...new Set(projectIds.filter((id) => id !== undefined))],
    trigger: backup?.trigger ?? trigger ?? triggers[type] ?? null,
    scheduleId: backup?.scheduleId ?? schedule?.id ?? null,
  };
};

/** Restores are begun by people only; that a run is missing tells of a schedule's own doing, not of what someone did to it. */
const triggers: Readonly<Partial<Record<StoredEvent['type'], string>>> = {
  'restore.started': 'manual',
  'restore.progress': 'manual',
  'restore.completed': 'manual',
  'restore.failed': 'manual',
  'schedule.failed': 'scheduled',
};
