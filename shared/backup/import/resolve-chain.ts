/** The earlier backups in whose chunks an imported one finds records: they must be here, and stay. */
import { ApiError, invalid } from '../../contract/errors.ts';
import { StaleReadError, type Tenant, type Write } from '../../platform/index.ts';
import { assertNotLeaving } from '../../project/index.ts';
import { chainLengthOf } from '../incremental/find-parent.ts';
import { type BackupRecord, backupKey } from '../model/record.ts';
import { findOwner } from '../model/shared-archives.ts';
import type { FoundBackup } from './inspect-folder.ts';

export interface ImportedChain {
  /** What its record says of the chain. */
  readonly link: Pick<BackupRecord, 'parentBackupId' | 'chainLength' | 'needs'>;
  /** What holds the earlier ones, in the transaction that makes the record. */
  readonly holds: readonly Write[];
}

/** No chain of ours is as long; each is held in the one transaction. */
const needsMax = 64;

/** CONFLICT, with all their ids, if earlier backups that it needs are not registered in the organization. */
export const chainOf = async (tenant: Tenant, { identity, manifest }: FoundBackup): Promise<ImportedChain> => {
  const needs = dependencyArchives(manifest);
  if (needs.length > needsMax) throw invalid('path', `is not a backup that can be imported: it needs ${needs.length} others`);
  const found = await Promise.all(needs.map((id) => findOwner(tenant, id)));
  const missing = needs.filter((_, n) => found[n] === undefined);
  if (missing.length > 0)
    throw new ApiError(
      'CONFLICT',
      `The backup is incremental and needs others that are not registered here: ${missing.join(', ')}; import them first`,
      { missing },
    );
  const holders = found.filter((holder) => holder !== undefined);
  holders.forEach(assertNotLeaving);
  const stranger = holders.find(({ archive }) => !isOfSame(archive, identity));
  if (stranger)
    throw invalid(
      'path',
      `is not a backup that can be imported: ${stranger.archive.backup}, which it needs, is of another project`,
    );
  const parent = manifest.parent === null ? undefined : await findOwner(tenant, manifest.parent);
  return {
    link: {
      parentBackupId: parent?.id ?? null,
      ...(manifest.parent !== null && { chainLength: parent ? chainLengthOf(parent) + 1 : Math.max(1, needs.length) }),
      ...(needs.length > 0 && { needs }),
    },
    holds: holders.map(({ id }) => held(tenant, id)),
  };
};

/** The archives of other backups that a manifest lists objects of. */
export const dependencyArchives = ({ backup, objects }: Pick<FoundBackup['manifest'], 'backup' | 'objects'>): readonly string[] =>
  [...new Set(objects.map((object) => object.backup))].filter((one) => one !== backup);

/** What is sealed is bound to both. */
const isOfSame = (one: BackupRecord['archive'], other: FoundBackup['identity']): boolean =>
  one.organization === other.organization && one.project === other.project;

/** Whoever is about to take it away at this moment has to look again. One that is damaged is still needed. */
const held = (tenant: Tenant, backupId: string): Write => ({
  update: backupKey.backup(tenant, backupId),
  expression: 'ADD builtUpon :one',
  condition: '#status = :completed AND attribute_not_exists(leaving)',
  names: { '#status': 'status' },
  values: { ':one': 1, ':completed': 'completed' },
  onConditionFailed: () => new StaleReadError(),
});
