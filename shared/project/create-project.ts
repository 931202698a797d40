/** Connecting a project and disconnecting it; its backups outlive it. */
import { emit, enqueue } from '../event/index.ts';
import { type CallerContext, countProjects, organizationRef } from '../organization/index.ts';
import { type Change, create, iso, remove } from '../platform/index.ts';
import { whileIdle } from './job-lock.ts';
import { projectData } from './project-data.ts';
import { projectNotFound } from './read-project.ts';
import { type Connection, type ProjectRecord, projectKey } from './record.ts';
import { defaultSettings, destinationCheck, type SettingsInput, settingsWith } from './update-project.ts';

export interface ProjectInput {
  readonly id: string;
  readonly name: string;
  readonly sourceProjectId: string;
  readonly databaseId: string;
  /** One the source has let in. */
  readonly connection: Connection;
  readonly settings?: SettingsInput | undefined;
}

export const createProject = (
  { tenant, organization }: CallerContext,
  { settings, ...wish }: ProjectInput,
  now: Date,
): { project: ProjectRecord; change: Change } => {
  const project: ProjectRecord = {
    ...projectKey.project(tenant, wish.id),
    ...wish,
    status: 'connected',
    settings: settingsWith(defaultSettings, settings ?? {}),
    pitr: { enabled: false },
    lastBackupAt: null,
    createdAt: iso(now),
    updatedAt: iso(now),
  };
  const { id, name, sourceProjectId, databaseId, connection } = project;
  const shown = { type: connection.type, email: connection.email };
  return {
    project,
    change: {
      writes: [
        create(project),
        ...destinationCheck(tenant, settings),
        countProjects(tenant, 1),
        emit(tenant, 'project.created', { organization: organizationRef(organization), project: projectData(project) }, now),
      ],
      audit: [
        {
          scope: tenant.organizationId,
          resource: { type: 'project', id },
          details: { name, sourceProjectId, databaseId, connection: shown },
        },
      ],
    },
  };
};

/** Refused while a job is under way: it would have nothing left to report to. Its schedules go with it, by the task. */
export const removeProject = ({ tenant, organization }: CallerContext, project: ProjectRecord, now: Date): Change => {
  const { id, name, sourceProjectId } = project;
  return {
    writes: [
      remove(projectKey.project(tenant, id), projectNotFound),
      whileIdle(tenant, id),
      countProjects(tenant, -1),
      emit(tenant, 'project.deleted', { organization: organizationRef(organization), project: projectData(project) }, now),
      enqueue(tenant, { kind: 'sync-schedules', projectId: id, deletedProjectName: name }, now),
    ],
    audit: [{ scope: tenant.organizationId, resource: { type: 'project', id }, details: { name, sourceProjectId } }],
  };
};
