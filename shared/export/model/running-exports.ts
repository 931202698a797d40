/** Exports that run, and how many of them an organization may have. */
import { assertJobCapacity, countRunningJobs } from '../../job/index.ts';
import { getAll, type Tenant, walk } from '../../platform/index.ts';
import { type ExportRecord, exportKey, type RunningExport, runningExports } from './record.ts';

/** The marks of all exports that run, or have ended and are not cleaned up yet. */
export const exportMarks = ({ organizationId }: Tenant): Promise<readonly RunningExport[]> =>
  Array.fromAsync(walk<RunningExport>({ pk: runningExports, prefix: `${organizationId}#` }));

export const countRunningExports = async (tenant: Tenant): Promise<number> => {
  const running = (await exportMarks(tenant)).filter(({ dueAt }) => dueAt === undefined);
  return countRunningJobs(running.map(({ exportId }) => exportKey.export(tenant, exportId)));
};

/** An export that writes into the destination, or whose files are kept for a resumption or being deleted there. */
export const exportUsing = async (tenant: Tenant, destinationId: string): Promise<ExportRecord | undefined> => {
  const found = await getAll((await exportMarks(tenant)).map(({ exportId }) => exportKey.export(tenant, exportId)));
  return found.find((record) => record?.storageDestination.id === destinationId && record.status !== 'completed');
};

/** Throws JOB_IN_PROGRESS at the limit. */
export const assertExportCapacity = async (tenant: Tenant): Promise<void> =>
  assertJobCapacity('exports', await countRunningExports(tenant));
