/** `bms open`: serves a backup as a Firestore on this machine, read through the service. */

import { once } from 'node:events';
import type { Command } from 'commander';
import { parseDatabaseList } from '../../archive/database-list.ts';
import { isOrigin } from '../../archive/is-origin.ts';
import { badInput } from '../base/cli-failure.ts';
import { defineCommand } from '../base/define-command.ts';
import { isMoment, parseEach, parseMoment, parseNames, parseWhole } from '../base/parse-values.ts';
import { buildMoment } from '../context/build-moment.ts';
import type { Action } from '../context/context.ts';
import { findRecordId } from '../context/find-resource.ts';
import { emptyCollections, openableBackup, refusalOf } from '../context/openable-backup.ts';
import { formatCount, formatCounted, formatTime } from '../output/format.ts';

interface OpenOptions {
  readonly at?: string | undefined;
  readonly project?: string | undefined;
  readonly port: number;
  readonly overlay?: string | undefined;
  readonly mask?: string | undefined;
  readonly databases?: string | undefined;
  readonly collections?: readonly string[] | undefined;
  readonly subcollections: boolean;
  readonly allowOrigin: readonly string[];
}

const usualPort = 8080;

export const addOpenCommand = (program: Command, action: Action): void => {
  defineCommand(program, {
    name: 'open [backup]',
    summary: 'Serve a backup or a point in time as a Firestore on this machine, without restoring it',
    description:
      'Official clients, the Admin SDKs and REST read it at once; what they write lies above the backup, on this machine. Documents are read through the service when they are asked for, a hundred at a time, and each page is in the audit log. Large backups are read faster with the bucket and the key: bms archive open, which also serves the users. The backup of a point in time is built first, from captured changes, and kept for 8 days. With --collections only these are served, and everything else is absent; with --no-subcollections only they must be proven at a point in time. Ends with Ctrl-C.',
    examples: [
      'bms open latest --project shop',
      'bms open --at 2026-11-16T11:20:00Z --project shop',
      'bms open --at 10m --project shop --collections users,orders --no-subcollections',
      'bms open bkp_01JZ --port 9090 --overlay ./try',
      'bms open latest --project shop --mask rules.json',
      'bms open --databases monday=bkp_01JZ,tuesday=bkp_01K0',
      'bms open --databases then=2026-11-16T11:20:00Z,now=latest --project shop',
    ],
  })
    .option('--at <time>', 'a point in time of --project; 10m is ten minutes ago', parseMoment)
    .option('--project <project>', 'the project of "latest" or of a point in time')
    .option('--port <number>', 'of 127.0.0.1; 0 chooses a free one', parseWhole, usualPort)
    .option('--overlay <folder>', 'keep what is written, and go on from there when the same backup is opened again')
    .option('--mask <file>', 'mask documents by the rules of this file, as a masked restore does')
    .option(
      '--databases <list>',
      'serve several backups or points in time as databases of one project, such as monday=bkp_…,then=2026-11-16T11:20:00Z',
    )
    .option('--collections <names>', 'only these, separated by commas; may be repeated', parseNames)
    .option('--no-subcollections', 'of --collections: only the documents directly in them')
    .option('--allow-origin <origin>', 'web pages of this address may use it, too; may be repeated', parseEach, [])
    .action(
      action(async (context, { at, project, port, overlay, ...options }: OpenOptions, [wanted]) => {
        const { client: open, output, signal } = context;
        const { mask: rules, databases, allowOrigin: allowedOrigins } = options;
        const scope = scopeOf(options);
        if (!allowedOrigins.every(isOrigin)) throw badInput('--allow-origin must be such as https://staging.example.com');
        if (port > 65_535) throw badInput('--port must be at most 65535');
        if ([wanted, at, databases].filter((one) => one !== undefined).length !== 1)
          throw badInput('name a backup, several with --databases, or a point in time with --at');
        const named: readonly Named[] =
          databases === undefined ? [at === undefined ? { backup: wanted ?? '' } : { at }] : namedIn(databases);
        if (project === undefined && named.some((one) => one.at !== undefined))
          throw badInput(`${at === undefined ? 'a point in time' : '--at'} needs --project`);
        const client = await open();
        const inProject = await findRecordId(client, 'project', project);
        // Loaded only here: it brings the embedded Firestore.
        const { MountMask, maskWords, mountFromService, mountJson, mountWords, isCollectionPath, overlayWords, scopeWords } =
          await import('../../mount/mount-from-service.ts');
        const wrong = scope?.collections.find((path) => !isCollectionPath(path));
        if (wrong !== undefined) throw badInput(`${wrong} is not the path of a collection`);
        // Before a moment is built, which may take minutes.
        const mask = rules === undefined ? undefined : MountMask.read(rules);
        const backups = [];
        for (const { at: moment, ...as } of named) {
          const isMoment = moment !== undefined && inProject !== undefined;
          const backup = isMoment ? await buildMoment(context, { projectId: inProject, at: moment, scope }) : (as.backup ?? '');
          backups.push({ ...as, isMoment, isProven: isMoment, ...(await openableBackup(client, backup, inProject)) });
        }
        const mount = await mountFromService({ client, backups, port, overlay, mask, scope, allowedOrigins, refusalOf });
        for (const { backup, source, readTime, documentCount } of backups)
          output.note(`${backup} of ${source} at ${readTime}: ${formatCount(documentCount)} documents`);
        for (const note of notesOn(backups)) output.note(note);
        if (scope) output.note(scopeWords(scope));
        for (const { backup } of backups)
          for (const path of scope ? await emptyCollections(client, backup, scope.collections) : [])
            output.warn(`${backup} has no document in ${path}`);
        if (output.isJson) output.jsonLine(mountJson(mount, backups, scope));
        else output.line(output.isQuiet ? mount.address : mountWords(mount));
        output.note(overlayWords(overlay));
        if (!signal.aborted) await once(signal, 'abort');
        await mount.stop();
        const unmatched = maskWords(mask);
        if (unmatched !== undefined) output.note(unmatched);
      }),
    );
};

/** Undefined if everything is served. */
const scopeOf = ({ collections, subcollections }: Pick<OpenOptions, 'collections' | 'subcollections'>) => {
  if (collections === undefined) {
    if (!subcollections) throw badInput('--no-subcollections belongs to --collections');
    return undefined;
  }
  return { collections: [...new Set(collections)], includeSubcollections: subcollections };
};

/** What is served, and as which of several databases: a backup, or a point in time. */
interface Named {
  readonly databaseId?: string;
  readonly backup?: string;
  readonly at?: string;
}

const namedIn = (list: string): readonly Named[] =>
  parseDatabaseList(list).map(({ databaseId, backup }) =>
    isMoment(backup) ? { databaseId, at: momentIn(backup) } : { databaseId, backup },
  );

const momentIn = (text: string): string => {
  try {
    return parseMoment(text);
  } catch (error) {
    throw badInput(`--databases: ${text}: ${(error as Error).message}`, error);
  }
};

interface Served {
  readonly backup: string;
  readonly authUsers: number;
  readonly expiresAt: string | null;
  readonly isMoment: boolean;
}

/** What a mount through the service lacks, and how long the backup of a moment can be opened. */
function* notesOn(backups: readonly Served[]): Generator<string> {
  const authUsers = backups.reduce((sum, backup) => sum + backup.authUsers, 0);
  for (const { backup, isMoment, expiresAt } of backups)
    if (isMoment && expiresAt !== null)
      yield `${backup} was built for this moment, and is kept until ${formatTime(expiresAt)}; then it is deleted`;
  if (authUsers > 0)
    yield `${formatCounted(authUsers, 'user')} of Firebase Authentication ${authUsers === 1 ? 'is' : 'are'} not served: the API shows no password hashes. bms archive open serves users`;
}
