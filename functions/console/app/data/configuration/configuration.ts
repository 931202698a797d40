/** What surrounds the documents of a backup. */
import type { DataOf } from '../../../../../shared/client/index.ts';
import { useChange, useRead } from '../../api/use-api.ts';

export type Configuration = NonNullable<DataOf<'GET /backups/{backupId}/configuration'>['configuration']>;
export type ConfigurationDiff = DataOf<'GET /backups/{backupId}/configuration/diff'>;
export type ConfigurationRestore = DataOf<'POST /backups/{backupId}/configuration/restore'>;

/** What a backup holds does not change. */
const never = Number.POSITIVE_INFINITY;
/** Reading it anew opens the live database. */
const liveStaleMs = 60_000;

export const useConfiguration = (backupId: string) =>
  useRead('GET /backups/{backupId}/configuration', { params: { backupId } }, { staleTime: never });

export const useConfigurationDiff = (backupId: string) =>
  useRead(
    'GET /backups/{backupId}/configuration/diff',
    { params: { backupId }, query: { against: 'live' } },
    { staleTime: liveStaleMs },
  );

export const usePlanConfiguration = (backupId: string) =>
  useChange({
    call: (client, _: undefined) =>
      client.request('POST /backups/{backupId}/configuration/restore', { params: { backupId }, body: { dryRun: true } }),
    invalidates: [],
    toastsError: false,
  });

export const useRestoreConfiguration = (backupId: string) =>
  useChange({
    call: (client, _: undefined) =>
      client.request('POST /backups/{backupId}/configuration/restore', { params: { backupId }, body: {} }),
    invalidates: ['/backups'],
    toastsError: false,
  });
