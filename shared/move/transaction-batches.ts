import type { BackupRecord } from '../backup/index.ts';

/** A transaction takes 100 writes; a backup is at most four of them. */
const rowsMax = 24;
/** A transaction takes 4 MB; a backup is written once and compared once. */
const bytesMax = 1_500_000;

/** The backups in as many as one transaction takes. */
export async function* transactionBatches(backups: AsyncIterable<BackupRecord>): AsyncGenerator<readonly BackupRecord[]> {
  let batch: BackupRecord[] = [];
  let bytes = 0;
  for await (const backup of backups) {
    const size = JSON.stringify(backup).length;
    if (batch.length === rowsMax || (batch.length > 0 && bytes + size > bytesMax)) {
      yield batch;
      [batch, bytes] = [[], 0];
    }
    batch.push(backup);
    bytes += size;
  }
  if (batch.length > 0) yield batch;
}
