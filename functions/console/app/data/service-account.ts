import { ApiFailure, type DataOf, type InputOf } from '../../../../shared/client/index.ts';
import { useChange, useRead } from '../api/use-api.ts';

const path = '/organizations/current/service-account';
export type ServiceAccount = DataOf<'GET /organizations/current/service-account'>;

/** Disabled for people who may not read it. An organization without a service account answers 404. */
export const useServiceAccount = (enabled: boolean) => {
  const read = useRead('GET /organizations/current/service-account', undefined, { enabled });
  const isMissing = read.error instanceof ApiFailure && read.error.status === 404;
  return { account: isMissing ? null : read.data, error: isMissing ? null : read.error, refetch: read.refetch };
};

export const useCreateServiceAccount = () =>
  useChange({
    call: (client, body: InputOf<'POST /organizations/current/service-account'>['body']) =>
      client.request(`POST ${path}`, { body }),
    invalidates: [path],
    toastsError: false,
  });

export const useUpdateServiceAccount = () =>
  useChange({
    call: (client, body: InputOf<'PATCH /organizations/current/service-account'>['body']) =>
      client.request(`PATCH ${path}`, { body }),
    done: 'The service account was changed; its key stays the same',
    invalidates: [path],
    toastsError: false,
  });

export const useRotateApiKey = () =>
  useChange({
    call: (client, overlapHours: number) => client.request(`POST ${path}/rotate-key`, { body: { overlapHours } }),
    invalidates: [path],
    toastsError: false,
  });

export const useTakeOverServiceAccount = () =>
  useChange({
    call: (client) => client.request(`POST ${path}/take-over`, { body: {} }),
    done: 'The service account now belongs to you',
    invalidates: [path],
  });

export const useDeleteServiceAccount = () =>
  useChange({
    call: (client) => client.request(`DELETE ${path}`),
    done: 'The service account was deleted. Its key no longer works',
    invalidates: [path],
    toastsError: false,
  });
