import { ApiError } from '../contract/errors.ts';
import type { BackupRecord } from '../stored-backup/index.ts';

/** The archives of one organization, and the archives that its backups depend on. */
class Side {
  readonly archives = new Set<string>();
  readonly needs = new Map<string, string>();

  add({ id, archive, needs = [] }: BackupRecord): void {
    this.archives.add(archive.backup);
    for (const one of needs) this.needs.set(one, id);
  }

  /** The first backup that needs an archive of the other side. */
  without(other: Side): string | undefined {
    for (const [archive, backupId] of this.needs) if (!this.archives.has(archive) && other.archives.has(archive)) return backupId;
    return undefined;
  }
}

/**
 * Detects a move that would split a backup chain. Backups of one project move together, but a backup imported into another project
 * may depend on one that moves, or the other way round.
 */
export class SplitChainCheck {
  readonly #going = new Side();
  readonly #staying = new Side();

  add(backup: BackupRecord, goes: boolean): void {
    if (backup.status === 'completed') (goes ? this.#going : this.#staying).add(backup);
  }

  assertUnsplit(): void {
    const going = this.#going.without(this.#staying);
    const staying = this.#staying.without(this.#going);
    if (going !== undefined)
      throw splitChainError('A backup of this project depends on a backup that was imported into another project', going);
    if (staying !== undefined) throw splitChainError('A backup of another project depends on a backup of this project', staying);
  }
}

const splitChainError = (message: string, backupId: string): ApiError => new ApiError('CONFLICT', message, { backupId });
