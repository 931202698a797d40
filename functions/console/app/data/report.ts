import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { type DataOf, type InputOf, readInParts, readProtectionParts } from '../../../../shared/client/index.ts';
import { keyOf, useApi, useChange, useRead } from '../api/use-api.ts';
import { formatCount } from '../format/format-number.ts';
import { saveFile } from '../ui/save-file.ts';

export type ProtectionReport = Exclude<DataOf<'GET /reports/protection'>, string>;
type Query = NonNullable<InputOf<'GET /reports/protection'>['query']>;

/** A call reads much of the table: it is not repeated while the page is open. */
const staleTime = 5 * 60_000;

/** A long period is read in parts; `progress` says which is being read. */
export const useProtectionReport = (query: Query, enabled: boolean) => {
  const { client, organizationId } = useApi();
  const [progress, setProgress] = useState<string>();
  const onPart = (part: number, parts: number): void =>
    setProgress(`The period is long: reading part ${formatCount(part)} of ${formatCount(parts)}`);
  const report = useQuery({
    queryKey: keyOf(organizationId, 'GET /reports/protection', { query: { ...query, format: 'json' } }),
    queryFn: ({ signal }) => {
      setProgress(undefined);
      return readProtectionParts(client, query, { signal, onPart });
    },
    enabled,
    staleTime,
  });
  return { report, progress };
};

/** The report as the page that is printed and saved. */
export const useProtectionPage = (query: Query, enabled: boolean) =>
  useRead('GET /reports/protection', { query: { ...query, format: 'html' } }, { enabled, staleTime });

export const useSaveProtectionCsv = (query: Query) =>
  useChange({
    call: async (client) => {
      const texts = await readInParts(
        (period) => client.request('GET /reports/protection', { query: { ...period, format: 'csv' } }),
        query,
      );
      saveFile('protection.csv', texts.join(''), 'text/csv');
    },
    invalidates: [],
  });
