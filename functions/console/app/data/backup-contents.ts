/** What is in a backup, and how it differs from others. Backups never change, so what was read once is not read again. */
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { DataOf, ElementOf } from '../../../../shared/client/index.ts';
import { keyOf, useApi, useList } from '../api/use-api.ts';

export type BackupEntry = ElementOf<'GET /backups/{backupId}/documents'>;
export type Diff = DataOf<'GET /backups/{backupId}/diff'>;
export type DocumentChange = Diff['changes'][number];

const forever = { staleTime: Number.POSITIVE_INFINITY };
const pageSize = 100;

/** The collections of the root or a document, or the documents of a collection. */
export const useEntries = (backupId: string, path: string, enabled = true) =>
  useList(
    'GET /backups/{backupId}/documents',
    { params: { backupId }, query: { path, showMissing: 'true', limit: pageSize } },
    { ...forever, enabled },
  );

/** Two sides of a comparison, from the earlier to the later one. */
export interface Comparison {
  readonly backupId: string;
  /** `live`, or the other backup. */
  readonly against: string;
}

/** The documents that differ, page by page. `run` starts it anew. */
export const useDiff = ({ backupId, against }: Comparison, run: number, enabled: boolean) => {
  const { client, organizationId } = useApi();
  const query = useInfiniteQuery({
    queryKey: keyOf(organizationId, 'GET /backups/{backupId}/diff', { backupId, against, run }),
    initialPageParam: undefined as string | undefined,
    queryFn: ({ signal, pageParam }) =>
      client.page('GET /backups/{backupId}/diff', {
        params: { backupId },
        query: { against, limit: pageSize, cursor: pageParam },
        signal,
      }),
    getNextPageParam: ({ pagination }) => pagination.nextCursor ?? undefined,
    enabled,
    ...forever,
  });
  const { data } = query;
  const changes = useMemo(() => data?.pages.flatMap((page) => page.data.changes), [data]);
  return { query, changes, latest: data?.pages.at(-1)?.data };
};

/** One document on both sides. */
export const useDocumentDiff = ({ backupId, against }: Comparison, path: string, run: number) => {
  const { client, organizationId } = useApi();
  return useQuery({
    queryKey: keyOf(organizationId, 'GET /backups/{backupId}/diff', { backupId, against, path, run }),
    queryFn: ({ signal }) =>
      client.request('GET /backups/{backupId}/diff', { params: { backupId }, query: { against, path }, signal }),
    ...forever,
  });
};
