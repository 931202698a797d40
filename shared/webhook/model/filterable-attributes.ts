import type { StoredEvent } from './record.ts';

/** The attributes of an event that filters and metadata use; null or empty if it has none. */
interface EventAttributes {
  readonly projectIds: readonly string[];
  readonly trigger: string | null;
  readonly scheduleId: string | null;
}

/** The fields of all event payloads that name a project or a trigger. */
interface EventPayload {
  readonly backup?: { readonly projectId: string; readonly trigger: string; readonly scheduleId: string | null };
  readonly restore?: { readonly projectId: string; readonly targetProjectId: string };
  readonly export?: { readonly projectId: string };
  readonly schedule?: { readonly id: string; readonly projectId: string };
  readonly project?: { readonly id: string };
  readonly incident?: { readonly project: { readonly id: string } | null };
  /** Of `schedule.triggered`. */
  readonly trigger?: string;
}

/** A restore concerns two projects: filters on either match. */
export const filterableAttributes = ({ type, data }: Pick<StoredEvent, 'type' | 'data'>): EventAttributes => {
  const { backup, restore, export: exported, schedule, project, incident, trigger } = data as EventPayload;
  const projectIds = [
    project?.id,
    backup?.projectId,
    restore?.projectId,
    restore?.targetProjectId,
    exported?.projectId,
    schedule?.projectId,
    incident?.project?.id,
  ];
  return {
    projectIds: [...new Set(projectIds.filter((id) => id !== undefined))],
    trigger: backup?.trigger ?? trigger ?? triggers[type] ?? null,
    scheduleId: backup?.scheduleId ?? schedule?.id ?? null,
  };
};

/** Restores and exports are only started by people. `schedule.failed` is about the schedule's own runs, not about a change to it. */
const triggers: Readonly<Partial<Record<StoredEvent['type'], string>>> = {
  'restore.started': 'manual',
  'restore.progress': 'manual',
  'restore.completed': 'manual',
  'restore.failed': 'manual',
  'export.started': 'manual',
  'export.completed': 'manual',
  'export.failed': 'manual',
  'schedule.failed': 'scheduled',
};
