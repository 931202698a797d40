/** `bms pull`: copies collections of a backup into a running emulator. */
import type { Command } from 'commander';
import { InvalidArgumentError } from 'commander';
import { formatBytes } from '../../../shared/contract/format-bytes.ts';
import { badInput } from '../base/cli-failure.ts';
import { defineCommand } from '../base/define-command.ts';
import { parsePositive } from '../base/parse-values.ts';
import type { Action } from '../context/context.ts';
import { findRecordId } from '../context/find-resource.ts';
import { openableBackup, refusalOf } from '../context/openable-backup.ts';
import { formatCount } from '../output/format.ts';

interface PullCommandOptions {
  readonly from: string;
  readonly project?: string | undefined;
  readonly into: string;
  readonly as?: string | undefined;
  readonly limit?: number | undefined;
  readonly sample?: number | undefined;
  readonly subcollections: boolean;
  readonly mask?: string | undefined;
  readonly dryRun?: true | undefined;
}

export const addPullCommand = (program: Command, action: Action): void => {
  defineCommand(program, {
    name: 'pull <collections...>',
    summary: "Copy collections of a backup into a running emulator, Google's or that of npm run firestore",
    description:
      'Documents are read through the service and written to the emulator through the REST API of Firestore; those of the same name are replaced there, others stay. What would be written is counted first. Only addresses that are not encrypted are accepted, which no production database has.',
    examples: [
      'bms pull users orders --project shop --into emulator',
      'bms pull users --project shop --limit 100 --mask rules.json --into localhost:8080',
      'bms pull users --project shop --sample 0.05 --no-subcollections --dry-run',
    ],
  })
    .option('--from <backup>', 'the backup to read', 'latest')
    .option('--project <project>', 'the project of "latest"')
    .option('--into <address>', 'host:port; "emulator" is FIRESTORE_EMULATOR_HOST, or localhost:8080', 'emulator')
    .option('--as <project>', 'the Google Cloud project in the emulator; default: that of the backup')
    .option('--limit <number>', 'at most so many documents of each collection, with all that is below them', parsePositive)
    .option('--sample <fraction>', 'a fraction of the documents of each collection, the same ones every time', parseFraction)
    .option('--no-subcollections', 'without what is below the documents')
    .option('--mask <file>', 'mask documents by the rules of this file, as a masked restore does')
    .option('--dry-run', 'say how many documents and bytes it would be, and write nothing')
    .action(
      action(async ({ client: open, output, signal, environment: { env } }, options: PullCommandOptions, [...given]) => {
        const [collections] = given as unknown as [readonly string[]];
        // Loaded only here: it brings the embedded Firestore.
        const { ExportMask, isCollectionPath, pullFromService } = await import('../../pull/pull-from-service.ts');
        for (const path of collections) if (!isCollectionPath(path)) throw badInput(`${path} is not the path of a collection`);
        const client = await open();
        const backup = await openableBackup(client, options.from, await findRecordId(client, 'project', options.project));
        const mask = options.mask === undefined ? undefined : ExportMask.read(options.mask);
        const { limit, sample, subcollections, as } = options;
        const into = options.into === 'emulator' ? (env.FIRESTORE_EMULATOR_HOST ?? 'localhost:8080') : options.into;
        if (!/^[\w.-]+:\d{1,5}$|^\[[\da-f:]+\]:\d{1,5}$/i.test(into)) throw badInput('--into must be host:port');
        const target = as === undefined ? backup.source : backup.source.replace(/^projects\/[^/]+/, `projects/${as}`);
        const plan = await pullFromService({
          client,
          refusalOf,
          backup: backup.backup,
          source: backup.source,
          target,
          into: options.dryRun ? undefined : into,
          picks: collections.map((collection) => ({ collection, limit, sample, subcollections })),
          form: mask && ((document, path) => mask.apply(document, path)),
          onPlan: ({ documents, bytes }) => {
            mask?.assertMatched();
            output.note(`${formatCount(documents)} documents, ${formatBytes(bytes)}, of ${backup.backup} at ${backup.readTime}`);
          },
          onProgress: ({ read, written }) =>
            output.progress(
              `\r${written === 0 ? `${formatCount(read)} read` : `${formatCount(written)} of ${formatCount(read)} written`}`,
            ),
          signal,
        });
        output.progress('\r');
        if (output.isJson)
          return output.json({ ...plan, backup: backup.backup, into: options.dryRun ? null : into, database: target });
        for (const one of plan.collections)
          output.line(`${one.collection}: ${formatCount(one.documents)} documents, ${formatBytes(one.bytes)}`);
        if (!options.dryRun) output.note(`written to ${target} at ${into}`);
      }),
    );
};

const parseFraction = (text: string): number => {
  const value = Number(text);
  if (!/^[\d.]+$/.test(text) || !(value > 0 && value <= 1)) throw new InvalidArgumentError('It must be above 0 and at most 1.');
  return value;
};
