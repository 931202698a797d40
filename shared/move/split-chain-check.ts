import type { BackupRecord } from '../backup/index.ts';
import { ApiError } from '../contract/errors.ts';

/** The archives of a side, and which of its backups find records in the archives of others. */
class Side {
  readonly archives = new Set<string>();
  readonly needs = new Map<string, string>();

  add({ id, archive, needs = [] }: BackupRecord): void {
    this.archives.add(archive.backup);
    for (const one of needs) this.needs.set(one, id);
  }

  /** The first backup that could not be read without an archive of the other side. */
  without(other: Side): string | undefined {
    for (const [archive, backupId] of this.needs) if (!this.archives.has(archive) && other.archives.has(archive)) return backupId;
    return undefined;
  }
}

/**
 * Whether a move would tear a chain. The backups of a project are each other's parents and go together; one that was imported
 * into another project than what it needs would be left without it.
 */
export class SplitChainCheck {
  readonly #going = new Side();
  readonly #staying = new Side();

  add(backup: BackupRecord, goes: boolean): void {
    if (backup.status === 'completed') (goes ? this.#going : this.#staying).add(backup);
  }

  refuseIfTorn(): void {
    const going = this.#going.without(this.#staying);
    const staying = this.#staying.without(this.#going);
    if (going !== undefined)
      throw splitChainError(
        'A backup of this project needs one that was imported into another project, and would be left without it',
        going,
      );
    if (staying !== undefined)
      throw splitChainError('A backup in another project needs one of this project, and would be left without it', staying);
  }
}

const splitChainError = (message: string, backupId: string): ApiError => new ApiError('CONFLICT', message, { backupId });
