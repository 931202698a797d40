import { useQuery, useQueryClient } from '@tanstack/react-query';
import { type DataOf, type InputOf, untilJobsStop } from '../../../../shared/client/index.ts';
import { personClient, rememberOrganization, sessionQuery } from '../api/session.ts';
import { useChange, useRead } from '../api/use-api.ts';
import { useSingleMutation } from '../api/use-single-mutation.ts';
import { formatPlural } from '../format/format-number.ts';
import { showToast } from '../ui/overlay/toast.tsx';

export type Organization = DataOf<'GET /organizations/current'>;
export type Encryption = DataOf<'GET /organizations/current/encryption'>;

export const useOrganization = () => useRead('GET /organizations/current');

/** Creates an organization and makes it the current one. */
export const useCreateOrganization = (): ((name: string) => Promise<void>) => {
  const queries = useQueryClient();
  return async (name) => {
    const { id } = await personClient.request('POST /organizations', { body: { name } });
    await queries.fetchQuery({ ...sessionQuery, staleTime: 0 });
    rememberOrganization(id);
  };
};

export const useUpdateOrganization = () => {
  const queries = useQueryClient();
  return useChange({
    call: async (client, body: InputOf<'PUT /organizations/current'>['body']) => {
      const updated = await client.request('PUT /organizations/current', { body });
      await queries.invalidateQueries(sessionQuery);
      return updated;
    },
    done: 'The settings were saved',
    invalidates: ['/organizations/current'],
    toastsError: false,
  });
};

export const useEncryption = () =>
  useRead('GET /organizations/current/encryption', undefined, { pollWhile: ({ rewrap }) => rewrap === 'running' });

export const useSetEncryption = () =>
  useChange({
    call: (client, body: InputOf<'PUT /organizations/current/encryption'>['body']) =>
      client.request('PUT /organizations/current/encryption', { body }),
    done: 'The encryption was changed. Keys of earlier backups are being rewrapped',
    invalidates: ['/organizations/current/encryption'],
    toastsError: false,
  });

export const useRotateEncryption = () =>
  useChange({
    call: (client) => client.request('POST /organizations/current/encryption/rotate'),
    done: 'The keys of all backups are being rewrapped',
    invalidates: ['/organizations/current/encryption'],
  });

/** Afterwards the session no longer has the organization, and the console shows another one or the first-run guide. */
export const useDeleteOrganization = () => {
  const queries = useQueryClient();
  return useChange({
    call: async (client, body: InputOf<'POST /organizations/current/delete'>['body']) => {
      const remove = () => client.request('POST /organizations/current/delete', { body });
      const deletion = await (body.cancelJobs ? untilJobsStop(remove) : remove());
      await queries.invalidateQueries({ queryKey: ['deleted-organizations'] });
      await queries.fetchQuery({ ...sessionQuery, staleTime: 0 });
      return deletion;
    },
    done: ({ deletionType, cancelledJobs = [] }) => {
      const words =
        deletionType === 'soft'
          ? 'The organization was deleted. You can recover it'
          : 'The organization is being deleted for good';
      const written = cancelledJobs.reduce((sum, { documentsWritten }) => sum + documentsWritten, 0);
      return written === 0 ? words : `${words}. Cancelled jobs had written ${formatPlural(written, 'document')}`;
    },
    invalidates: [],
    toastsError: false,
  });
};

/** The soft-deleted organizations that the person can recover. */
export const useDeletedOrganizations = () =>
  useQuery({
    queryKey: ['deleted-organizations'],
    queryFn: async ({ signal }) => {
      const page = await personClient.page('GET /organizations', { query: { status: 'deleted', limit: 100 }, signal });
      return page.data;
    },
  });

/** Also for a person without an organization. */
export const useRecoverOrganization = () => {
  const queries = useQueryClient();
  return useSingleMutation({
    mutationFn: async (id: string) => {
      const { name } = await personClient.request('POST /organizations/{id}/recover', { params: { id } });
      await queries.invalidateQueries({ queryKey: ['deleted-organizations'] });
      const { organizations } = await queries.fetchQuery({ ...sessionQuery, staleTime: 0 });
      showToast(`${name} was recovered${organizations.length > 1 ? '. Choose it in the list of organizations' : ''}`, 'good');
    },
  });
};
