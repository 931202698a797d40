import type { DataOf, ElementOf, InputOf } from '../../../../shared/client/index.ts';
import { useChange, useList, useRead, useWholeList } from '../api/use-api.ts';

export type Project = ElementOf<'GET /projects'>;

/** Who reads the database, in words. */
export const connectedAs = ({ type, email }: Project['connection']): string =>
  email || (type === 'workload_identity' ? 'your organization (workload identity)' : 'unknown');

export const useProjects = () => useWholeList('GET /projects');

export const useProject = (projectId: string) => useRead('GET /projects/{projectId}', { params: { projectId } });

/** The root collections of the live database. Reading them also checks the connection. */
export const useCollections = (projectId: string, enabled: boolean) =>
  useList('GET /projects/{projectId}/collections', { params: { projectId }, query: { limit: 100 } }, { enabled });

export type Pitr = DataOf<'GET /projects/{projectId}/pitr'>;

/** The state of point-in-time recovery; polled while it starts and while it captures. */
export const usePitr = (projectId: string, enabled = true) =>
  useRead(
    'GET /projects/{projectId}/pitr',
    { params: { projectId } },
    { pollWhile: ({ status }) => status !== 'disabled', enabled },
  );

export type PitrWindows = DataOf<'GET /projects/{projectId}/pitr/windows'>;

interface WindowsOptions {
  /** An id of a collection; without it the windows are those of all collections. */
  readonly collection?: string | undefined;
  /** Polls, because captures move the windows on. */
  readonly isLive?: boolean;
  readonly enabled?: boolean;
}

export const usePitrWindows = (projectId: string, { collection, isLive = false, enabled = true }: WindowsOptions = {}) =>
  useRead(
    'GET /projects/{projectId}/pitr/windows',
    { params: { projectId }, query: { limit: 100, ...(collection !== undefined && { collection }) } },
    { pollWhile: () => isLive, enabled },
  );

export type ProjectReads = DataOf<'GET /projects/{projectId}/reads'>;

export const useProjectReads = (projectId: string) => useRead('GET /projects/{projectId}/reads', { params: { projectId } });

export const useConnectProject = () =>
  useChange({
    call: (client, body: InputOf<'POST /projects'>['body']) => client.request('POST /projects', { body }),
    done: ({ name }) => `${name} is connected`,
    invalidates: ['/projects', '/overview'],
    toastsError: false,
  });

export const useReconnect = (projectId: string) =>
  useChange({
    call: (client, body: NonNullable<InputOf<'POST /projects/{projectId}/reconnect'>['body']>) =>
      client.request('POST /projects/{projectId}/reconnect', { params: { projectId }, body }),
    done: 'The project is connected again',
    invalidates: ['/projects', '/overview'],
    toastsError: false,
  });

export const useUpdateProject = (projectId: string) =>
  useChange({
    call: (client, body: InputOf<'PATCH /projects/{projectId}'>['body']) =>
      client.request('PATCH /projects/{projectId}', { params: { projectId }, body }),
    done: 'The settings are saved',
    invalidates: ['/projects', '/overview', '/search'],
    toastsError: false,
  });

/** Afterwards the project belongs to the other organization, so nothing of it can be read here. */
export const useMoveProject = (projectId: string) =>
  useChange({
    call: (client, organizationId: string) =>
      client.request('PATCH /projects/{projectId}', { params: { projectId }, body: { organizationId } }),
    invalidates: [],
    toastsError: false,
  });

export const useDisconnectProject = (projectId: string) =>
  useChange({
    call: (client) => client.request('DELETE /projects/{projectId}', { params: { projectId } }),
    done: 'The project is disconnected. Its backups are kept.',
    invalidates: ['/overview', '/backups', '/schedules'],
    toastsError: false,
  });

export const useEnablePitr = (projectId: string) =>
  useChange({
    call: (client, body: InputOf<'POST /projects/{projectId}/pitr'>['body']) =>
      client.request('POST /projects/{projectId}/pitr', { params: { projectId }, body }),
    done: 'Point-in-time recovery starts with a base backup',
    tone: 'info',
    invalidates: ['/projects', '/overview', '/backups'],
    toastsError: false,
  });

export const useUpdatePitr = (projectId: string) =>
  useChange({
    call: (client, body: InputOf<'PATCH /projects/{projectId}/pitr'>['body']) =>
      client.request('PATCH /projects/{projectId}/pitr', { params: { projectId }, body }),
    done: 'The settings are saved',
    invalidates: ['/projects'],
    toastsError: false,
  });

export const useDisablePitr = (projectId: string) =>
  useChange({
    call: (client) => client.request('DELETE /projects/{projectId}/pitr', { params: { projectId } }),
    done: 'Changes are no longer captured',
    invalidates: ['/projects', '/overview'],
    toastsError: false,
  });

/** The commands to paste, for access without a key. */
export const useWorkloadIdentity = (query: InputOf<'GET /projects/workload-identity'>['query']) =>
  useRead(
    'GET /projects/workload-identity',
    { query },
    { enabled: query.sourceProjectId !== '', staleTime: Number.POSITIVE_INFINITY },
  );

/** Of several projects the one whose backup is the newest. */
export const lastBackedUp = (projects: readonly Project[] = []): Project | undefined =>
  projects.toSorted((a, b) => Date.parse(b.lastBackupAt ?? '0') - Date.parse(a.lastBackupAt ?? '0'))[0];
