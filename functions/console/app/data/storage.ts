import type { DataOf, ElementOf, InputOf } from '../../../../shared/client/index.ts';
import { useChange, useRead, useWholeList } from '../api/use-api.ts';
import { useOrganization } from './organization.ts';
import type { Project } from './projects.ts';

export type StorageDestination = ElementOf<'GET /storage-destinations'>;
export type StorageInput = InputOf<'POST /storage-destinations'>['body'];

const storage = ['/storage-destinations', '/overview'] as const;

export const useStorageDestinations = () => useWholeList('GET /storage-destinations');

export type StorageUsage = DataOf<'GET /storage-destinations/{storageId}/usage'>;

/** What the bucket holds by project, and what uses it. */
export const useStorageUsage = (storageId: string) =>
  useRead('GET /storage-destinations/{storageId}/usage', { params: { storageId } });

/** Where backups of a project go if no storage is chosen, as the service decides it. Null without one, undefined while one of them loads. */
export const useDefaultStorageId = (project: Project | undefined): string | null | undefined => {
  const { data: organization } = useOrganization();
  return project && (project.settings.defaultStorageId ?? organization?.settings.defaultStorageId);
};

export const useAddStorage = () =>
  useChange({
    call: (client, body: StorageInput) => client.request('POST /storage-destinations', { body }),
    done: ({ name }) => `${name} is ready for backups`,
    invalidates: storage,
    toastsError: false,
  });

export const useUpdateStorage = (storageId: string) =>
  useChange({
    call: (client, body: NonNullable<InputOf<'PATCH /storage-destinations/{storageId}'>['body']>) =>
      client.request('PATCH /storage-destinations/{storageId}', { params: { storageId }, body }),
    done: 'The storage was tested and saved',
    invalidates: storage,
    toastsError: false,
  });

export const useTestStorage = () =>
  useChange({
    call: (client, storageId: string) => client.request('POST /storage-destinations/{storageId}/test', { params: { storageId } }),
    invalidates: storage,
    toastsError: false,
  });

export const useDeleteStorage = () =>
  useChange({
    call: (client, storageId: string) => client.request('DELETE /storage-destinations/{storageId}', { params: { storageId } }),
    done: 'The storage was removed. The bucket and its objects stay',
    invalidates: storage,
    toastsError: false,
  });
