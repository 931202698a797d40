import type { DataOf, InputOf } from '../../../../shared/client/index.ts';
import { useChange, useRead } from '../api/use-api.ts';
import { saveFile } from '../ui/save-file.ts';

export type ProtectionReport = Exclude<DataOf<'GET /reports/protection'>, string>;
type Query = NonNullable<InputOf<'GET /reports/protection'>['query']>;

/** A call reads much of the table: it is not repeated while the page is open. */
const staleTime = 5 * 60_000;

export const useProtectionReport = (query: Query, enabled: boolean) =>
  useRead('GET /reports/protection', { query: { ...query, format: 'json' } }, { enabled, staleTime });

/** The report as the page that is printed and saved. */
export const useProtectionPage = (query: Query, enabled: boolean) =>
  useRead('GET /reports/protection', { query: { ...query, format: 'html' } }, { enabled, staleTime });

export const useSaveProtectionCsv = (query: Query) =>
  useChange({
    call: async (client) => {
      const text = await client.request('GET /reports/protection', { query: { ...query, format: 'csv' } });
      saveFile('protection.csv', String(text), 'text/csv');
    },
    invalidates: [],
  });
