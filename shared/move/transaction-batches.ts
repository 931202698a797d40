import type { BackupRecord } from '../stored-backup/index.ts';

/** A transaction has at most 100 writes; a backup needs up to four. */
const rowsMax = 24;
/** A transaction has at most 4 MB; a backup counts twice, written and compared. */
const bytesMax = 1_500_000;

/** Groups backups into batches that fit into one transaction. */
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
