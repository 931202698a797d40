/** Shows and compares the configuration of a backup within an API request. */
import type * as z from 'zod/mini';
import { auditNote } from '../../audit/index.ts';
import { invalid } from '../../contract/errors.ts';
import type { BackupConfiguration, Configuration, ConfigurationDiff } from '../../contract/models/configuration.ts';
import type { Change, Tenant } from '../../platform/index.ts';
import { configurationDiffData, readConfiguration, readProject } from '../../project/index.ts';
import { readBackup } from '../model/read-backup.ts';
import type { BackupRecord } from '../model/record.ts';
import type { ArchiveDeps } from '../read/open-archive.ts';
import { withArchiveInRequest } from '../read/with-archive-in-request.ts';
import { sourceRequestTimeoutMs } from '../read/with-source-in-request.ts';
import { archivedConfiguration } from './archived-configuration.ts';

interface Read {
  readonly backup: BackupRecord;
  readonly deps?: ArchiveDeps | undefined;
}

export const readArchivedConfiguration = (tenant: Tenant, { backup, deps }: Read): Promise<Configuration | undefined> =>
  withArchiveInRequest(tenant, { backup, deps, work: async ({ archive }) => archivedConfiguration(archive.manifest) });

export const showConfiguration = async (
  tenant: Tenant,
  read: Read,
): Promise<{ readonly data: z.output<typeof BackupConfiguration>; readonly change: Change }> => {
  const { id, projectId } = read.backup;
  const configuration = (await readArchivedConfiguration(tenant, read)) ?? null;
  const audit = [auditNote(tenant, { type: 'backup', id, details: { projectId, path: 'configuration' } })];
  return { data: { backupId: id, configuration }, change: { writes: [], audit } };
};

/** Differences from the backup to another one of the project, or to the live database: `removed` is what only the backup has. */
export const diffConfiguration = async (
  tenant: Tenant,
  { against, ...read }: Read & { readonly against: string },
): Promise<{ readonly data: z.output<typeof ConfigurationDiff>; readonly change: Change }> => {
  const { backup } = read;
  const { id, projectId } = backup;
  const [mine, other] = await Promise.all([readArchivedConfiguration(tenant, read), readOther(tenant, { against, ...read })]);
  return {
    data: configurationDiffData({ id, configuration: mine }, { id: against, configuration: other }),
    change: {
      writes: [],
      audit: [auditNote(tenant, { type: 'backup', id, details: { projectId, against, path: 'configuration' } })],
    },
  };
};

const readOther = async (
  tenant: Tenant,
  { backup, against, deps }: Read & { readonly against: string },
): Promise<Configuration | undefined> => {
  if (against === 'live')
    return readConfiguration(
      tenant,
      await readProject(tenant, backup.projectId),
      AbortSignal.timeout(sourceRequestTimeoutMs - 2_000),
    );
  const other = await readBackup(tenant, against);
  if (other.projectId !== backup.projectId) throw invalid('against', 'must be a backup of the same project');
  return readArchivedConfiguration(tenant, { backup: other, deps });
};
