/** Where a problem is solved, and what to do there. */
import type { Attention } from '../data/overview.ts';
import { paths } from '../paths.ts';

interface Solution {
  readonly action: string;
  readonly to: string;
  readonly search?: Readonly<Record<string, string | boolean>>;
}

/** `mayChange`: viewers are led to what they can see. */
export const solveAttention = ({ resource: { type, id }, projectId, kind }: Attention, mayChange: boolean): Solution => {
  const project = projectId ?? id;
  switch (kind) {
    case 'NO_BACKUP':
      if (mayChange) return { action: 'Back up now', to: paths.backups, search: { start: project } };
      return { action: 'Show project', to: paths.project(project) };
    case 'PROJECT_UNAUTHORIZED':
      if (mayChange) return { action: 'Reconnect', to: paths.project(project), search: { reconnect: true } };
      return { action: 'Show project', to: paths.project(project) };
    case 'NOT_SCHEDULED':
      if (mayChange) return { action: 'Create schedule', to: paths.newSchedule, search: { projectId: project } };
      return { action: 'Show schedules', to: paths.project(project, 'schedules') };
    case 'UNUSUAL_CHANGES':
      return { action: 'Show changes', to: paths.backup(id) };
    case 'PITR_PROBLEM':
      return { action: 'Show point in time', to: paths.project(project, 'point-in-time') };
    default:
      return resourceOf(type, id);
  }
};

const resourceOf = (type: Attention['resource']['type'], id: string): Solution => {
  switch (type) {
    case 'backup':
      return { action: 'Show backup', to: paths.backup(id) };
    case 'restore':
      return { action: 'Show restore', to: paths.restore(id) };
    case 'restore_test':
      return { action: 'Show restore test', to: paths.restoreTest(id) };
    case 'schedule':
      return { action: 'Show schedule', to: paths.schedule(id) };
    case 'storage_destination':
      return { action: 'Check storage', to: paths.storage };
    case 'incident':
      return { action: 'Show incident', to: paths.incident(id) };
    case 'webhook':
      return { action: 'Show webhook', to: paths.webhook(id) };
    default:
      return { action: 'Show schedules', to: paths.project(id, 'schedules') };
  }
};
