import { auditNote } from '../audit/index.ts';
import { projectEvents } from '../contract/event-data/project-events.ts';
import { emit, enqueue } from '../event/index.ts';
import { type CallerContext, countOf, destinationCheck, organizationRef } from '../organization/index.ts';
import { type Change, create, iso, remove } from '../platform/index.ts';
import { membershipCheck } from './connection-status.ts';
import { whileIdle, whileUntested } from './job-lock.ts';
import { projectData, shownConnection } from './project-data.ts';
import { projectNotFound } from './read-project.ts';
import { type Connection, type DatabaseInfo, type ProjectRecord, projectKey } from './record.ts';
import { defaultSettings, type SettingsInput, settingsWith } from './update-project.ts';

interface ProjectInput {
  readonly id: string;
  readonly name: string;
  readonly sourceProjectId: string;
  readonly databaseId: string;
  readonly labels?: Readonly<Record<string, string>> | undefined;
  /** Already accepted by the source. */
  readonly connection: Connection;
  readonly database: DatabaseInfo;
  readonly settings?: SettingsInput | undefined;
}

export const createProject = (
  { tenant, organization }: CallerContext,
  { settings, labels = {}, ...input }: ProjectInput,
  now: Date,
): { project: ProjectRecord; change: Change } => {
  const project: ProjectRecord = {
    ...projectKey.project(tenant, input.id),
    ...input,
    labels,
    status: 'connected',
    settings: settingsWith(defaultSettings, settings ?? {}),
    pitr: { enabled: false },
    lastBackupAt: null,
    createdAt: iso(now),
    updatedAt: iso(now),
  };
  const { id, name, sourceProjectId, databaseId, connection } = project;
  const shown = shownConnection(connection);
  return {
    project,
    change: {
      writes: [
        create(project),
        ...destinationCheck(tenant, settings?.defaultStorageId),
        ...membershipCheck(tenant, connection),
        countOf(tenant, { counter: 'projectCount', amount: 1 }),
        emit(tenant, {
          schemas: projectEvents,
          name: 'project.created',
          data: { organization: organizationRef(organization), project: projectData(project) },
          now,
        }),
      ],
      audit: [
        auditNote(tenant, { type: 'project', id, details: { name, sourceProjectId, databaseId, labels, connection: shown } }),
      ],
    },
  };
};

/** Throws JOB_IN_PROGRESS while a job runs, or a restore test into the project. The backups stay; a task deletes the schedules. */
export const removeProject = ({ tenant, organization }: CallerContext, project: ProjectRecord, now: Date): Change => {
  const { id, name, sourceProjectId } = project;
  return {
    writes: [
      remove(projectKey.project(tenant, id), projectNotFound),
      whileIdle(tenant, id),
      whileUntested(tenant, project),
      countOf(tenant, { counter: 'projectCount', amount: -1 }),
      emit(tenant, {
        schemas: projectEvents,
        name: 'project.deleted',
        data: { organization: organizationRef(organization), project: projectData(project) },
        now,
      }),
      enqueue(tenant, { kind: 'sync-schedules', projectId: id, deletedProjectName: name }, now),
    ],
    audit: [auditNote(tenant, { type: 'project', id, details: { name, sourceProjectId } })],
  };
};
