import type * as z from 'zod';
import type { Project } from '../contract/models/project.ts';
import type { ProjectRecord } from './record.ts';

/** A project as the interface shows it: whose access is used, never the access itself. */
export const projectData = (project: ProjectRecord): z.input<typeof Project> => {
  const { id, name, sourceProjectId, databaseId, status, connection, settings, pitr, lastBackupAt, createdAt, updatedAt } =
    project;
  const { type, email } = connection;
  const { enabled, retentionDays, captureIntervalSeconds } = pitr;
  return {
    ...{ id, name, sourceProjectId, databaseId, status, connection: { type, email }, settings },
    pitr: enabled ? { enabled, retentionDays, captureIntervalSeconds } : { enabled },
    ...{ lastBackupAt, createdAt, updatedAt },
  };
};
