/** `bms open`: serves a backup as a Firestore on this machine, read through the service. */

import { once } from 'node:events';
import type { Command } from 'commander';
import { ApiFailure, type Client } from '../../../shared/client/index.ts';
import { badInput, CliFailure, cliFailureOf } from '../base/cli-failure.ts';
import { defineCommand } from '../base/define-command.ts';
import { exitCodes } from '../base/exit-codes.ts';
import { parseWhole } from '../base/parse-values.ts';
import type { Action } from '../context/context.ts';
import { findBackup, findRecordId } from '../context/find-resource.ts';
import { formatCount } from '../output/format.ts';

interface OpenOptions {
  readonly project?: string | undefined;
  readonly port: number;
  readonly overlay?: string | undefined;
}

const usualPort = 8080;

export const addOpenCommand = (program: Command, action: Action): void => {
  defineCommand(program, {
    name: 'open <backup>',
    summary: 'Serve a backup as a Firestore on this machine, without restoring it',
    description:
      'Official clients, the Admin SDKs and REST read it at once; what they write lies above the backup, on this machine. Documents are read through the service when they are asked for, a hundred at a time, and each page is in the audit log. Large backups are read faster with the bucket and the key: bms archive open. Ends with Ctrl-C.',
    examples: ['bms open latest --project shop', 'bms open bkp_01JZ --port 9090 --overlay ./try'],
  })
    .option('--port <number>', 'of 127.0.0.1; 0 chooses a free one', parseWhole, usualPort)
    .option('--overlay <folder>', 'keep what is written, and go on from there when the same backup is opened again')
    .action(
      action(async ({ client: open, output, signal }, { project, port, overlay }: OpenOptions, [wanted = '']) => {
        if (port > 65_535) throw badInput('--port must be at most 65535');
        const client = await open();
        const { id, readTime, documentCount, status } = await findBackup(
          client,
          wanted,
          await findRecordId(client, 'project', project),
        );
        if (status !== 'completed')
          throw new CliFailure(exitCodes.failed, `${id} is ${status}: only completed backups can be opened`);
        // Loaded only here: it brings the embedded Firestore.
        const { mountFromService, mountWords, overlayWords } = await import('../../mount/mount-from-service.ts');
        const source = await sourceOf(client, id);
        const mount = await mountFromService({ client, backup: id, source, port, overlay, refusalOf }).catch((error: unknown) => {
          if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error;
          throw badInput(`port ${port} is in use: choose another with --port`, error);
        });
        const { address, url, projectId, databaseId } = mount;
        output.note(`${id} of ${source} at ${readTime}: ${formatCount(documentCount)} documents`);
        if (output.isJson) output.jsonLine({ address, url, project: projectId, database: databaseId, backup: id, readTime });
        else output.line(output.isQuiet ? address : mountWords(mount));
        output.note(overlayWords(overlay));
        if (!signal.aborted) await once(signal, 'abort');
        await mount.stop();
      }),
    );
};

/** The database of the backup, which is in the name of every document. */
const sourceOf = async (client: Client, backupId: string): Promise<string> => {
  const query = { path: '', descendants: 'true', limit: 1 } as const;
  const { data } = await client.page('GET /backups/{backupId}/documents', { params: { backupId }, query });
  const [source] = data[0]?.name?.split('/documents/') ?? [];
  if (source === undefined) throw new CliFailure(exitCodes.failed, `${backupId} has no documents`);
  return source;
};

/** What clients are told of a page that the service does not give. */
const refusalOf = (error: unknown): { readonly code: 'PERMISSION_DENIED' | 'UNAVAILABLE'; readonly message: string } => {
  const isDenied = error instanceof ApiFailure && (error.status === 401 || error.status === 403);
  return { code: isDenied ? 'PERMISSION_DENIED' : 'UNAVAILABLE', message: cliFailureOf(error).message };
};
