import type { DataOf, ElementOf, InputOf } from '../../../../shared/client/index.ts';
import { useChange, useList, useRead } from '../api/use-api.ts';

export type Incident = ElementOf<'GET /alerts/incidents'>;
export type IncidentDetails = DataOf<'GET /alerts/incidents/{incidentId}'>;
type IncidentChanges = NonNullable<InputOf<'PATCH /alerts/incidents/{incidentId}'>['body']>;

/** The menu counts the open ones on every page: the page Alerts shows the same list. */
export const useOpenIncidents = (enabled = true) =>
  useList('GET /alerts/incidents', { query: { limit: 100, status: 'open' } }, { everyMs: 60_000, staleTime: 15_000, enabled });

export const useIncidents = (status: 'recovered' | undefined, enabled: boolean) =>
  useList('GET /alerts/incidents', { query: { limit: 25, status } }, { enabled });

export const useIncident = (incidentId: string) =>
  useRead(
    'GET /alerts/incidents/{incidentId}',
    { params: { incidentId } },
    {
      pollWhile: ({ status }) => status === 'open',
      pollFromMs: 10_000,
    },
  );

const incidents = ['/alerts/incidents', '/audit-logs'] as const;

export const useAcknowledgeIncident = (incidentId: string) =>
  useChange({
    call: (client, note: string) =>
      client.request('POST /alerts/incidents/{incidentId}/acknowledge', {
        params: { incidentId },
        body: note === '' ? {} : { note },
      }),
    done: 'The incident was acknowledged. Further messages say so',
    invalidates: incidents,
    toastsError: false,
  });

/** `toastsError`: false for a form, which shows the error itself. */
export const useUpdateIncident = (incidentId: string, done: string, toastsError = true) =>
  useChange({
    call: (client, body: IncidentChanges) =>
      client.request('PATCH /alerts/incidents/{incidentId}', { params: { incidentId }, body }),
    done,
    invalidates: incidents,
    toastsError,
    reloadsOnError: true,
  });
