/** An open incident of a project, as a failed backup opens one. */
import { newId } from '../../../shared/platform/index.ts';
import { putItem } from './table.ts';

export const putIncident = async (
  organizationId: string,
  project: { readonly id: string; readonly name: string },
): Promise<string> => {
  const id = newId('incident');
  const at = new Date().toISOString();
  await putItem({
    ...{ pk: `ORG#${organizationId}`, sk: `INCIDENT#${id}`, id, kind: 'backup_failed', severity: 'warning', status: 'open' },
    ...{ title: 'A backup failed', failure: 'Refused', message: 'Refused', facts: [], page: '', count: 1, sources: [] },
    ...{ subject: { type: 'project', id: project.id, name: null }, project: { id: project.id, name: project.name } },
    ...{
      openedAt: at,
      lastFailureAt: at,
      recoveredAt: null,
      remindedAt: at,
      reminders: 0,
      alertIds: [],
      timeline: [],
      revision: 0,
    },
  });
  return id;
};
