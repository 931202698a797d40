/** Reads one document of a backup. */
import type { Client, DataOf } from '../../../shared/client/index.ts';
import { badInput, CliFailure } from '../base/cli-failure.ts';
import { exitCodes } from '../base/exit-codes.ts';

export type StoredDocument = DataOf<'GET /backups/{backupId}/documents'>[number];

interface Wanted {
  readonly backupId: string;
  readonly path: string;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Undefined if there is only something below the path. Its fields are absent if they are too large for a response. The path of a
 * collection is refused: its answer would begin with a document, which is not the one that is meant.
 */
export const readDocument = async (client: Client, { backupId, path, signal }: Wanted): Promise<StoredDocument | undefined> => {
  if (path.split('/').length % 2 === 1)
    throw badInput(
      `${JSON.stringify(path)} is not the path of a document, such as users/ada; browse lists what a collection has`,
    );
  const input = { params: { backupId }, query: { path, limit: 1 }, signal };
  const { data } = await client.page('GET /backups/{backupId}/documents', input);
  return data.find(({ type, fields, fieldsTooLarge }) => type === 'document' && (fields !== undefined || fieldsTooLarge));
};

export const tooLarge = (path: string): CliFailure =>
  new CliFailure(
    exitCodes.failed,
    `the fields of ${path} are too large for a response; bms archive cat reads them from the bucket`,
  );
