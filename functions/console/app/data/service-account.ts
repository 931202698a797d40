import { ApiFailure, type DataOf, type InputOf } from '../../../../shared/client/index.ts';
import { useChange, useRead } from '../api/use-api.ts';
import { useOrganization } from './organization.ts';

const path = '/organizations/current/service-account';
/** The organization says whether there is one. */
const invalidates = [path, '/organizations/current', '/audit-logs'] as const;
export type ServiceAccount = DataOf<'GET /organizations/current/service-account'>;

/** Disabled for people who may not read it. Null without one, which the organization says: the account itself would answer 404. */
export const useServiceAccount = (enabled: boolean) => {
  const organization = useOrganization();
  const hasAccount = organization.data?.hasServiceAccount;
  const read = useRead('GET /organizations/current/service-account', undefined, { enabled: enabled && hasAccount === true });
  const isMissing = hasAccount === false || (read.error instanceof ApiFailure && read.error.status === 404);
  return {
    account: isMissing ? null : read.data,
    error: isMissing ? null : (organization.error ?? read.error),
    refetch: () => (organization.error ? organization.refetch() : read.refetch()),
  };
};

export const useCreateServiceAccount = () =>
  useChange({
    call: (client, body: InputOf<'POST /organizations/current/service-account'>['body']) =>
      client.request(`POST ${path}`, { body }),
    invalidates,
    toastsError: false,
  });

export const useUpdateServiceAccount = () =>
  useChange({
    call: (client, body: InputOf<'PATCH /organizations/current/service-account'>['body']) =>
      client.request(`PATCH ${path}`, { body }),
    done: 'The service account was changed; its key stays the same',
    invalidates,
    toastsError: false,
  });

export const useRotateAccountKey = () =>
  useChange({
    call: (client, overlapHours: number) => client.request(`POST ${path}/rotate-key`, { body: { overlapHours } }),
    invalidates,
    toastsError: false,
  });

export const useTakeOverServiceAccount = () =>
  useChange({
    call: (client) => client.request(`POST ${path}/take-over`, { body: {} }),
    done: 'The service account now belongs to you',
    invalidates,
  });

export const useDeleteServiceAccount = () =>
  useChange({
    call: (client) => client.request(`DELETE ${path}`),
    done: 'The service account was deleted. Its key no longer works',
    invalidates,
    toastsError: false,
  });
