import type { ElementOf, InputOf } from '../../../../shared/client/index.ts';
import { useChange, useList } from '../api/use-api.ts';

const path = '/organizations/current/api-keys';
const invalidates = [path, '/audit-logs', '/alerts'] as const;

export type ApiKey = ElementOf<'GET /organizations/current/api-keys'>;
export type ApiKeyInput = InputOf<'POST /organizations/current/api-keys'>['body'];

/** Disabled for people who may not read them. */
export const useApiKeys = (enabled: boolean) => useList(`GET ${path}`, undefined, { enabled });

export const useCreateApiKey = () =>
  useChange({
    call: (client, body: ApiKeyInput) => client.request(`POST ${path}`, { body }),
    invalidates,
    toastsError: false,
  });

export const useUpdateApiKey = (apiKeyId: string) =>
  useChange({
    call: (client, body: InputOf<'PATCH /organizations/current/api-keys/{apiKeyId}'>['body']) =>
      client.request(`PATCH ${path}/{apiKeyId}`, { params: { apiKeyId }, body }),
    done: 'The API key was changed; its text stays the same',
    invalidates,
    toastsError: false,
  });

export const useRotateApiKey = (apiKeyId: string) =>
  useChange({
    call: (client, overlapHours: number) =>
      client.request(`POST ${path}/{apiKeyId}/rotate`, { params: { apiKeyId }, body: { overlapHours } }),
    invalidates,
    toastsError: false,
  });

export const useDeleteApiKey = () =>
  useChange({
    call: (client, apiKeyId: string) => client.request(`DELETE ${path}/{apiKeyId}`, { params: { apiKeyId } }),
    done: 'The API key was deleted and no longer works',
    invalidates,
    toastsError: false,
  });
