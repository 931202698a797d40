import type { ElementOf, InputOf } from '../../../../shared/client/index.ts';
import { useChange, useList } from '../api/use-api.ts';
import { saveFile } from '../ui/save-file.ts';

export type AuditEntry = ElementOf<'GET /audit-logs'>;
export type AuditFilters = Omit<NonNullable<InputOf<'GET /audit-logs'>['query']>, 'limit' | 'cursor'>;

/** Disabled for people who may not read it. */
export const useAuditLog = (filters: AuditFilters, enabled: boolean) =>
  useList('GET /audit-logs', { query: filters }, { enabled });

/** One entry, wherever in the log it is. Null if there is none, undefined while it loads. */
export const useAuditEntry = (id: string | undefined, enabled: boolean): AuditEntry | null | undefined => {
  const { items } = useList('GET /audit-logs', { query: { id } }, { enabled: enabled && id !== undefined });
  return items && (items[0] ?? null);
};

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
