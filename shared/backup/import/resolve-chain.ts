/** Resolves the backups that an imported one depends on: they must exist in the organization, and are held. */
import { ApiError, invalid } from '../../contract/errors.ts';
import type { Tenant, Write } from '../../platform/index.ts';
import { assertNotLeaving } from '../../project/index.ts';
import { type BackupRecord, chainLengthOf, dependencyArchives, findOwner, holdDependency } from '../../stored-backup/index.ts';
import type { FoundBackup } from './inspect-folder.ts';

interface ImportedChain {
  readonly link: Pick<BackupRecord, 'parentBackupId' | 'chainLength' | 'needs'>;
  /** Writes that hold its dependencies, for the transaction that creates the record. */
  readonly holds: readonly Write[];
}

/** All dependencies are held in one transaction; no chain of the service is this long. */
const needsMax = 64;

/** CONFLICT, with all their ids, if backups it depends on are not registered in the organization. */
export const resolveChain = async (tenant: Tenant, { identity, manifest }: FoundBackup): Promise<ImportedChain> => {
  const needs = dependencyArchives(manifest);
  if (needs.length > needsMax)
    throw invalid('path', `is not a backup that can be imported: it depends on ${needs.length} others`);
  const found = await Promise.all(needs.map((id) => findOwner(tenant, id)));
  const missing = needs.filter((_, n) => found[n] === undefined);
  if (missing.length > 0)
    throw new ApiError(
      'CONFLICT',
      `The backup depends on others that are not registered: ${missing.join(', ')}. Import them first`,
      { missing },
    );
  const owners = found.filter((owner) => owner !== undefined);
  owners.forEach(assertNotLeaving);
  const foreign = owners.find(({ archive }) => !isSameProject(archive, identity));
  if (foreign)
    throw invalid(
      'path',
      `is not a backup that can be imported: ${foreign.archive.backup}, which it depends on, belongs to another project`,
    );
  const parent = manifest.parent === null ? undefined : await findOwner(tenant, manifest.parent);
  return {
    link: {
      parentBackupId: parent?.id ?? null,
      ...(manifest.parent !== null && { chainLength: parent ? chainLengthOf(parent) + 1 : Math.max(1, needs.length) }),
      ...(needs.length > 0 && { needs }),
    },
    holds: owners.map(({ id }) => holdDependency(tenant, id)),
  };
};

/** The encrypted objects are bound to both. */
const isSameProject = (one: BackupRecord['archive'], other: FoundBackup['identity']): boolean =>
  one.organization === other.organization && one.project === other.project;
