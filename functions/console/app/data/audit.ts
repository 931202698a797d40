import type { ElementOf, InputOf } from '../../../../shared/client/index.ts';
import { useChange, useList } from '../api/use-api.ts';
import { saveFile } from '../ui/save-file.ts';

export type AuditEntry = ElementOf<'GET /audit-logs'>;
export type AuditFilters = Pick<
  NonNullable<InputOf<'GET /audit-logs'>['query']>,
  'from' | 'to' | 'action' | 'actorId' | 'resourceType'
>;

/** Disabled for people who may not read it. */
export const useAuditLog = (filters: AuditFilters, enabled: boolean) =>
  useList('GET /audit-logs', { query: filters }, { enabled });

export type ExportFormat = 'csv' | 'json';

/** Saves the entries that the filters select as a file. */
export const useExportAuditLog = (filters: AuditFilters) =>
  useChange({
    call: async (client, format: ExportFormat) => {
      const content = await client.request('GET /audit-logs/export', { query: { ...filters, format } });
      const text = typeof content === 'string' ? content : JSON.stringify(content, undefined, 2);
      saveFile(`audit-log.${format}`, text, format === 'csv' ? 'text/csv' : 'application/json');
    },
    done: 'The audit log was exported',
    invalidates: [],
  });
