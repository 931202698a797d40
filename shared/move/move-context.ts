import { type Clock, check, getAll, StaleReadError, type Tenant, type Write, walk } from '../platform/index.ts';
import { type MoveRecord, projectKey } from '../project/index.ts';
import { type ArchiveLink, type BackupRecord, backupKey, backupPrefix, isRetired } from '../stored-backup/index.ts';

export interface MoveContext {
  readonly id: string;
  readonly projectId: string;
  readonly from: Tenant;
  readonly to: Tenant;
}

export interface MoveDeadline {
  readonly until: Date;
  readonly clock: Clock;
}

export const isPastDeadline = ({ until, clock }: MoveDeadline): boolean => clock.now() >= until;

/** Every backup of an organization, of all projects. */
export const backupsIn = (tenant: Tenant): AsyncIterable<BackupRecord> =>
  walk<BackupRecord>({ pk: `ORG#${tenant.organizationId}`, prefix: backupPrefix });

/** The backups that the move has marked as leaving. */
export async function* leavingBackups({ id, projectId, from }: MoveContext): AsyncGenerator<BackupRecord> {
  for await (const backup of backupsIn(from)) if (backup.projectId === projectId && backup.leaving === id) yield backup;
}

/** Archives that a staying backup needs, with its id: neither organization may delete objects that both use. */
export const archivesStaying = async ({ id, projectId, from }: MoveContext): Promise<ReadonlyMap<string, string>> => {
  const staying = new Map<string, string>();
  for await (const backup of backupsIn(from)) {
    const goes = backup.leaving === id || (backup.projectId === projectId && !isRetired(backup));
    if (!goes) staying.set(backup.archive.backup, backup.id);
  }
  return staying;
};

/** The archive links of the backups in an organization. */
export const linksIn = async (side: Tenant, backups: readonly BackupRecord[]): Promise<readonly (ArchiveLink | undefined)[]> =>
  (await getAll(backups.map(({ id, archive }) => backupKey.archive(side, archive.backup, id)))) as (ArchiveLink | undefined)[];

/** Fails the transaction unless this move is still active: not finished, not switched, not being reverted. */
export const whileMoveActive = ({ id, projectId, from }: MoveContext): Write =>
  check(projectKey.move(from, projectId), { id, isHere: true, isEnding: undefined }, () => new StaleReadError());

/** The condition that no attribute of an item has changed since it was read. */
export const unchanged = (item: Readonly<Record<string, unknown>>) => {
  const entries = Object.entries(item).filter(([name, value]) => value !== undefined && name !== 'pk' && name !== 'sk');
  return {
    condition: entries.map((_, n) => `#was${n} = :was${n}`).join(' AND '),
    names: Object.fromEntries(entries.map(([name], n) => [`#was${n}`, name])),
    values: Object.fromEntries(entries.map(([, value], n) => [`:was${n}`, value])),
  };
};

/** The record of a move in the source and the target organization. */
export const moveRecords = ({ id, projectId, from, to }: MoveContext, since: string): readonly [MoveRecord, MoveRecord] => {
  const common = { id, projectId, from: from.organizationId, to: to.organizationId, since };
  return [
    { ...projectKey.move(from, projectId), ...common, isHere: true },
    { ...projectKey.move(to, projectId), ...common, isHere: false },
  ];
};
