/** Finds the state of a document at a moment among the backups of its project. */
import type { Client, DataOf } from '../../../shared/client/index.ts';
import { CliFailure } from '../base/cli-failure.ts';
import { exitCodes } from '../base/exit-codes.ts';
import { readDocument, type StoredDocument } from './read-document.ts';

type Backup = DataOf<'GET /backups'>[number];

interface Question {
  readonly projectId: string;
  readonly path: string;
  readonly at: string;
  readonly signal: AbortSignal;
}

interface DocumentAt {
  readonly at: string;
  readonly exact: boolean;
  readonly backupId: string;
  readonly readTime: string;
  readonly explanation: string;
  /** Undefined if it did not exist. */
  readonly document: StoredDocument | undefined;
}

/** Backups further away are not looked at. */
const backupsMax = 500;

/**
 * The first backup after the moment has the exact state if the document was not written since the moment. Otherwise the last backup
 * before it has the state of its own time.
 */
export const findDocumentAt = async (client: Client, question: Question): Promise<DocumentAt> => {
  const { at } = question;
  const { before, after } = await neighbours(client, question);
  const later = after && (await tryRead(client, question, after.id));
  if (after && later?.updateTime !== undefined && Date.parse(later.updateTime) <= Date.parse(at)) {
    const explanation = 'The first backup after the moment has it, and it was not written between the moment and that backup.';
    return { at, exact: true, backupId: after.id, readTime: after.readTime ?? '', explanation, document: later };
  }
  if (!before)
    throw new CliFailure(
      exitCodes.notFound,
      'no completed backup of the project was made before this moment, or none that has this collection',
    );
  const explanation =
    'The last backup before the moment has this state. Later writes before the moment are not in it; with point-in-time recovery, the plan of a restore to the moment shows what they would change.';
  const exact = before.readTime !== null && Date.parse(before.readTime) === Date.parse(at);
  const document = await tryRead(client, question, before.id);
  return { at, exact, backupId: before.id, readTime: before.readTime ?? '', explanation, document };
};

/** A document that the backup does not have is not an error here. */
const tryRead = async (client: Client, { path, signal }: Question, backupId: string): Promise<StoredDocument | undefined> => {
  try {
    return await readDocument(client, { backupId, path, signal });
  } catch (error) {
    if ((error as { readonly code?: unknown }).code === 'NOT_FOUND') return undefined;
    throw error;
  }
};

/** Whether the backup was asked for the collection of the document. A safety backup has only what a restore was about to change. */
const covers = ({ trigger, partial, foreign, collections, excludedCollections }: Backup, path: string): boolean => {
  const isBelow = (collection: string) => collection === '*' || path.startsWith(`${collection}/`);
  return trigger !== 'safety' && !partial && !foreign && collections.some(isBelow) && !excludedCollections.some(isBelow);
};

/** The completed backups of the document's collection next to the moment, by the time at which they read the database. */
const neighbours = async (
  client: Client,
  { projectId, path, at, signal }: Question,
): Promise<{ before: Backup | undefined; after: Backup | undefined }> => {
  let after: Backup | undefined;
  let seen = 0;
  for await (const backup of client.list('GET /backups', { query: { projectId, status: 'completed', limit: 100 }, signal })) {
    seen += 1;
    if (backup.readTime === null || !covers(backup, path)) continue;
    if (Date.parse(backup.readTime) <= Date.parse(at)) return { before: backup, after };
    after = backup;
    if (seen >= backupsMax) break;
  }
  return { before: undefined, after };
};
