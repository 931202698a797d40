import type * as z from 'zod/mini';
import type { Project } from '../contract/models/project.ts';
import { databaseData } from './database-data.ts';
import type { Connection, ProjectRecord } from './record.ts';

/** A project as the API shows it. The connection is shown without its credentials. */
export const projectData = (project: ProjectRecord): z.input<typeof Project> => {
  const { connection } = project;
  const { enabled, retentionDays, captureIntervalSeconds } = project.pitr;
  return {
    id: project.id,
    name: project.name,
    sourceProjectId: project.sourceProjectId,
    databaseId: project.databaseId,
    labels: project.labels ?? {},
    status: project.status,
    connection: shownConnection(connection),
    settings: shownSettings(project.settings),
    database: databaseData(project),
    pitr: enabled ? { enabled, retentionDays, captureIntervalSeconds } : { enabled },
    lastBackupAt: project.lastBackupAt,
    createdAt: project.createdAt,
    updatedAt: project.updatedAt,
  };
};

const shownSettings = ({ searchFields, ...settings }: ProjectRecord['settings']): z.input<typeof Project>['settings'] => ({
  ...settings,
  ...(searchFields && { searchFields: [...searchFields] }),
});

export const shownConnection = (connection: Connection): z.input<typeof Project>['connection'] => {
  const { type, email } = connection;
  const audience = connection.type === 'workload_identity' ? connection.audience : undefined;
  return { type, email, ...(audience !== undefined && { audience }) };
};
