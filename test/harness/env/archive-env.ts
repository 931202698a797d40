/** The environment of tests that read and damage backups: each backup has a store of its own. */

import type { StartBackupOptions } from '../../../shared/backup/model/start-options.ts';
import { MemoryStore } from '../../../shared/destination/index.ts';
import type { BackupRecord } from '../../../shared/stored-backup/index.ts';
import { type Fields, putDocuments } from '../firestore/write-documents.ts';
import { BackupEnv, createEnv } from './backup-env.ts';

export type { Fields } from '../firestore/write-documents.ts';

export const createArchiveEnv = (): Promise<ArchiveEnv> => createEnv(ArchiveEnv);

export class ArchiveEnv extends BackupEnv {
  /** By folder. */
  stores = new Map<string, MemoryStore>();

  override reset(sourceProjectId?: string): void {
    this.stores = new Map();
    super.reset(sourceProjectId);
  }

  protected override storeAt(folder: string): MemoryStore {
    const store = this.stores.get(folder) ?? new MemoryStore();
    this.stores.set(folder, store);
    return store;
  }

  storeOf({ path }: Pick<BackupRecord, 'path'>): MemoryStore {
    return this.stores.get(path)!;
  }

  /** Writes documents by path; undefined deletes one. */
  put(documents: Readonly<Record<string, Fields | undefined>>): Promise<void> {
    return putDocuments(this.server, this.sourceProjectId, documents);
  }

  /** Makes a complete backup of the source. */
  async takeBackup(options: Partial<StartBackupOptions> = {}): Promise<BackupRecord> {
    const id = await this.startBackup(options);
    await this.runBackup(id);
    return this.backupOf(id);
  }
}
