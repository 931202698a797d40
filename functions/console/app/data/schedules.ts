import type { ElementOf, InputOf } from '../../../../shared/client/index.ts';
import { useChange, useList, useRead } from '../api/use-api.ts';

export type Schedule = ElementOf<'GET /schedules'>;
export type ScheduleInput = InputOf<'POST /schedules'>['body'];

export const useSchedules = (projectId?: string) =>
  useList('GET /schedules', { query: { limit: 100, ...(projectId !== undefined && { projectId }) } });

export const useSchedule = (scheduleId: string) => useRead('GET /schedules/{scheduleId}', { params: { scheduleId } });

export const useCreateSchedule = () =>
  useChange({
    call: (client, body: ScheduleInput) => client.request('POST /schedules', { body }),
    done: ({ name }) => `${name} is created`,
    invalidates: ['/schedules', '/overview'],
    toastsError: false,
  });

export const useUpdateSchedule = (scheduleId: string) =>
  useChange({
    call: (client, body: InputOf<'PATCH /schedules/{scheduleId}'>['body']) =>
      client.request('PATCH /schedules/{scheduleId}', { params: { scheduleId }, body }),
    done: ({ name }) => `${name} is saved`,
    invalidates: ['/schedules', '/overview'],
    toastsError: false,
  });

/** Pauses or resumes. */
export const useSwitchSchedule = ({ id: scheduleId, name }: Schedule) =>
  useChange({
    call: (client, enabled: boolean) =>
      client.request('PATCH /schedules/{scheduleId}', { params: { scheduleId }, body: { enabled } }),
    done: (_, enabled) => (enabled ? `${name} runs again` : `${name} is paused`),
    invalidates: ['/schedules', '/overview'],
  });

export const useTriggerSchedule = ({ id: scheduleId, name }: Schedule) =>
  useChange({
    call: (client) => client.request('POST /schedules/{scheduleId}/trigger', { params: { scheduleId } }),
    done: `A backup of ${name} has started`,
    tone: 'info',
    invalidates: ['/schedules', '/backups', '/overview', '/projects'],
  });

export const useDeleteSchedule = ({ id: scheduleId, name }: Schedule) =>
  useChange({
    call: (client) => client.request('DELETE /schedules/{scheduleId}', { params: { scheduleId } }),
    done: `${name} is deleted. Its backups are kept.`,
    invalidates: ['/overview'],
    toastsError: false,
  });
