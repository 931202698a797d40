/** A move under way, as its steps know it, and what every one of them needs. */
import { type ArchiveLink, type BackupRecord, backupKey, backupPrefix, isRetired } from '../backup/index.ts';
import { type Clock, getAll, StaleReadError, type Tenant, type Write, walk } from '../platform/index.ts';
import { type MoveRecord, projectKey } from '../project/index.ts';

export interface MoveContext {
  readonly id: string;
  readonly projectId: string;
  readonly from: Tenant;
  readonly to: Tenant;
}

/** How long a step may go on. */
export interface MoveDeadline {
  readonly until: Date;
  readonly clock: Clock;
}

export const isPastDeadline = ({ until, clock }: MoveDeadline): boolean => clock.now() >= until;

/** Every backup of an organization; whose they are is for the caller to look at. */
export const backupsIn = (tenant: Tenant): AsyncIterable<BackupRecord> =>
  walk<BackupRecord>({ pk: `ORG#${tenant.organizationId}`, prefix: backupPrefix });

/** Those that the move has taken hold of. */
export async function* leavingBackups({ id, projectId, from }: MoveContext): AsyncGenerator<BackupRecord> {
  for await (const backup of backupsIn(from)) if (backup.projectId === projectId && backup.leaving === id) yield backup;
}

/** Which archives are needed by a record that stays, and by which: objects that two organizations share are nobody's to remove. */
export const archivesStaying = async ({ id, projectId, from }: MoveContext): Promise<ReadonlyMap<string, string>> => {
  const staying = new Map<string, string>();
  for await (const backup of backupsIn(from)) {
    const goes = backup.leaving === id || (backup.projectId === projectId && !isRetired(backup));
    if (!goes) staying.set(backup.archive.backup, backup.id);
  }
  return staying;
};

/** Whether the backups share objects on a side, as that side knows. */
export const linksIn = async (side: Tenant, backups: readonly BackupRecord[]): Promise<readonly (ArchiveLink | undefined)[]> =>
  (await getAll(backups.map(({ id, archive }) => backupKey.archive(side, archive.backup, id)))) as readonly (
    | ArchiveLink
    | undefined
  )[];

/** The move is still this one, and nobody has begun to take it back. */
export const whileMoveActive = ({ id, projectId, from }: MoveContext): Write => ({
  check: projectKey.move(from, projectId),
  condition: 'id = :id AND isHere = :true AND attribute_not_exists(isEnding)',
  values: { ':id': id, ':true': true },
  onConditionFailed: () => new StaleReadError(),
});

/** The condition that an item is, attribute for attribute, what was read. */
export const unchanged = (item: Readonly<Record<string, unknown>>) => {
  const entries = Object.entries(item).filter(([name, value]) => value !== undefined && name !== 'pk' && name !== 'sk');
  return {
    condition: entries.map((_, n) => `#was${n} = :was${n}`).join(' AND '),
    names: Object.fromEntries(entries.map(([name], n) => [`#was${n}`, name])),
    values: Object.fromEntries(entries.map(([, value], n) => [`:was${n}`, value])),
  };
};

/** Both halves of a move's record. */
export const moveRecords = ({ id, projectId, from, to }: MoveContext, since: string): readonly [MoveRecord, MoveRecord] => {
  const told = { id, projectId, from: from.organizationId, to: to.organizationId, since };
  return [
    { ...projectKey.move(from, projectId), ...told, isHere: true },
    { ...projectKey.move(to, projectId), ...told, isHere: false },
  ];
};
