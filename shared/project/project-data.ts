import type * as z from 'zod';
import type { Project } from '../contract/models/project.ts';
import type { ProjectRecord } from './record.ts';

/** A project as the API shows it. The connection is shown without its credentials. */
export const projectData = (project: ProjectRecord): z.input<typeof Project> => {
  const { type, email } = project.connection;
  const { enabled, retentionDays, captureIntervalSeconds } = project.pitr;
  return {
    id: project.id,
    name: project.name,
    sourceProjectId: project.sourceProjectId,
    databaseId: project.databaseId,
    status: project.status,
    connection: { type, email },
    settings: project.settings,
    pitr: enabled ? { enabled, retentionDays, captureIntervalSeconds } : { enabled },
    lastBackupAt: project.lastBackupAt,
    createdAt: project.createdAt,
    updatedAt: project.updatedAt,
  };
};
