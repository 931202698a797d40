/** Objects that a worker may have begun to upload without storing them. */
import { objectName } from '../../archive/index.ts';
import { walk } from '../../platform/index.ts';
import { partObjectNames } from './part-objects.ts';
import type { PartContents } from './record.ts';

/** `parts` is the number of parts that were claimed: 0 to `parts - 1`. */
interface ClaimedParts {
  readonly number: number;
  readonly parts: number;
  /** Whether the last claimed part completed the shard of a backup, or of a restore's journal. It may be empty, so nothing is stored. */
  readonly isDone?: boolean | undefined;
  readonly isChecked?: boolean | undefined;
}
interface StoredPart {
  readonly index: Pick<PartContents['index'], 'backup' | 'name'>;
}

/** Names of the objects of claimed parts that are not stored. Part numbers are never claimed twice, so a stored one has no other upload. */
export const unstoredObjects = (shards: readonly ClaimedParts[], stored: readonly StoredPart[]): readonly string[] => {
  const names = new Set(stored.map(({ index }) => index.name));
  return shards.flatMap(({ number, parts, isDone, isChecked }) =>
    Array.from({ length: isDone || isChecked ? parts - 1 : parts }, (_, part) => part)
      .filter((part) => !names.has(objectName('index', number, part)))
      .flatMap((part) => partObjectNames(number, part)),
  );
};

/** The same for an archive whose shards and parts are in the work partition of a backup or restore. */
export const readUnstoredObjects = async (workPartition: string, archiveBackupId: string): Promise<readonly string[]> => {
  const [shards, parts] = await Promise.all([
    Array.fromAsync(walk<ClaimedParts>({ pk: workPartition, prefix: 'SHARD#' })),
    Array.fromAsync(walk<StoredPart>({ pk: workPartition, prefix: 'PART#' })),
  ]);
  // A resumed restore has parts of its earlier journals, too.
  const stored = parts.filter(({ index }) => index.backup === archiveBackupId);
  return unstoredObjects(shards, stored);
};
