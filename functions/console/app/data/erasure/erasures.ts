import type { DataOf, ElementOf, InputOf } from '../../../../../shared/client/index.ts';
import { useChange, useList } from '../../api/use-api.ts';

export type Erasure = ElementOf<'GET /projects/{projectId}/erasures'>;
export type ErasurePreview = DataOf<'POST /projects/{projectId}/erasures/preview'>;
export type ErasureInput = InputOf<'POST /projects/{projectId}/erasures'>['body'];

export const useErasures = (projectId: string) =>
  useList(
    'GET /projects/{projectId}/erasures',
    { params: { projectId }, query: { limit: 100 } },
    { pollWhile: (erasures) => erasures.some(({ status, copies }) => status === 'resolving' || copies === 'pending') },
  );

export const useCreateErasure = (projectId: string) =>
  useChange({
    call: (client, body: ErasureInput) => client.request('POST /projects/{projectId}/erasures', { params: { projectId }, body }),
    done: 'Erased: no backup shows these documents any more',
    invalidates: ['/projects', '/search', '/documents', '/backups'],
    toastsError: false,
  });

/** What it would hide; nothing is changed. */
export const usePreviewErasure = (projectId: string) =>
  useChange({
    call: (client, body: Omit<ErasureInput, 'reason'>) =>
      client.request('POST /projects/{projectId}/erasures/preview', { params: { projectId }, body }),
    invalidates: [],
    toastsError: false,
  });
