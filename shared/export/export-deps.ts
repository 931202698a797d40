import { downloadMaxBytes } from '../contract/limits.ts';
import { openStoreInRequest } from '../destination/index.ts';
import { type Clock, randomFraction } from '../platform/index.ts';
import { type ArchiveDeps, backupDeps } from '../stored-backup/index.ts';

/** External dependencies of the steps of an export, other than the table. Tests inject faults here. */
export interface ExportDeps extends ArchiveDeps {
  readonly clock: Clock;
  readonly random: () => number;
  /** Documents and bytes of one range, bytes of a file, of all files in memory and of a download; for tests. */
  readonly sizes?: Partial<ExportSizes>;
}

export interface ExportSizes {
  readonly shardRecords: number;
  readonly shardSegments: number;
  readonly fileBytes: number;
  readonly bufferBytes: number;
  /** The most that is downloaded. */
  readonly downloadBytes: number;
}

/**
 * A range has at most 256 segments, each of about 1 MiB of documents before compression, so that one run of 900 s handles it even at
 * 1 MB/s. Memory has 160 MiB of files beside the leaves that are read ahead and one row group.
 */
export const exportSizes: ExportSizes = {
  shardRecords: 200_000,
  shardSegments: 256,
  fileBytes: 128 << 20,
  bufferBytes: 160 << 20,
  downloadBytes: downloadMaxBytes,
};

const { clock, openStore, dataKeyOf } = backupDeps;
export const exportDeps: ExportDeps = { clock, openStore, dataKeyOf, random: randomFraction };

/** For clean-up: short timeouts, because the reaper retries a bucket that does not answer. */
export const exportCleanUpDeps: ExportDeps = { ...exportDeps, openStore: openStoreInRequest };
