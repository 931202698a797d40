/** Backups whose documents are read through the service on this machine. */
import { ApiFailure, type Client } from '../../../shared/client/index.ts';
import { CliFailure, cliFailureOf } from '../base/cli-failure.ts';
import { exitCodes } from '../base/exit-codes.ts';
import { findBackup } from './find-resource.ts';

/** A completed backup, and the database that it is of. */
export const openableBackup = async (client: Client, wanted: string, projectId: string | undefined) => {
  const found = await findBackup(client, wanted, projectId);
  const { id, readTime, documentCount, authUsers = 0, expiresAt, status } = found;
  if (status !== 'completed') throw new CliFailure(exitCodes.failed, `${id} is ${status}: only completed backups can be opened`);
  return { backup: id, readTime, documentCount, authUsers, expiresAt, source: await sourceOf(client, id, found.projectId) };
};

/** The database is in the name of every document; a backup without documents is of the one that its project is now. */
const sourceOf = async (client: Client, backupId: string, projectId: string): Promise<string> => {
  const query = { path: '', descendants: 'true', limit: 1 } as const;
  const { data } = await client.page('GET /backups/{backupId}/documents', { params: { backupId }, query });
  const [source] = data[0]?.name?.split('/documents/') ?? [];
  if (source !== undefined) return source;
  const { sourceProjectId, databaseId } = await client.request('GET /projects/{projectId}', { params: { projectId } });
  return `projects/${sourceProjectId}/databases/${databaseId}`;
};

/** Collections without a document at any depth: they may be misspelt. */
export const emptyCollections = async (
  client: Client,
  backupId: string,
  paths: readonly string[],
): Promise<readonly string[]> => {
  const empty: string[] = [];
  for (const path of paths) {
    const query = { path, descendants: 'true', limit: 1 } as const;
    const found = await client
      .page('GET /backups/{backupId}/documents', { params: { backupId }, query })
      .catch((error: unknown) => {
        // 409: the backup lacks other collections.
        if (error instanceof ApiFailure && (error.status === 404 || error.status === 409)) return { data: [] };
        throw error;
      });
    if (found.data.length === 0) empty.push(path);
  }
  return empty;
};

/** What clients are told of a page that the service does not give. */
export const refusalOf = (error: unknown): { readonly code: 'PERMISSION_DENIED' | 'UNAVAILABLE'; readonly message: string } => {
  const isDenied = error instanceof ApiFailure && (error.status === 401 || error.status === 403);
  return { code: isDenied ? 'PERMISSION_DENIED' : 'UNAVAILABLE', message: cliFailureOf(error).message };
};
