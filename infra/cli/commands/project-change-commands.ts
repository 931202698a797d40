/** `bms projects update`. */
import type { Command } from 'commander';
import { badInput, refuseIfUnchanged } from '../base/cli-failure.ts';
import { defineCommand } from '../base/define-command.ts';
import { parseEach, parsePositive } from '../base/parse-values.ts';
import type { Action } from '../context/context.ts';
import { findRecordId } from '../context/find-resource.ts';
import { fieldOf, summaryOf } from '../texts/contract-text.ts';

interface UpdateOptions {
  readonly name?: string | undefined;
  readonly label?: readonly string[] | undefined;
  readonly removeLabel?: readonly string[] | undefined;
  /** False: that of the organization. */
  readonly storage?: string | false | undefined;
  readonly timeout?: number | undefined;
  /** False: no limit. */
  readonly maxReads?: number | false | undefined;
  /** False: no budget. */
  readonly budget?: ReadBudget | false | undefined;
  /** False: none. */
  readonly searchField?: readonly string[] | false | undefined;
}

type ReadBudget = { readonly documents: number } | { readonly usd: number };

const parseBudget = (text: string): ReadBudget =>
  text.startsWith('$') ? { usd: Number(text.slice(1)) } : { documents: parsePositive(text) };

export const addProjectChangeCommands = (group: Command, action: Action): void => {
  defineCommand(group, {
    name: 'update <project>',
    summary: summaryOf('PATCH /projects/{projectId}'),
    examples: [
      'bms projects update shop --name "Web shop"',
      'bms projects update shop --label team=shop --label env=production --remove-label old',
      'bms projects update shop --storage Archive --timeout 120',
      'bms projects update shop --search-field email --search-field address.city',
    ],
  })
    .option('--name <name>', 'a new name')
    .option('--label <key=value>', 'set a label; repeat it for several', parseEach)
    .option('--remove-label <key>', 'remove a label; repeat it for several', parseEach)
    .option('--storage <storage>', 'the default storage destination of its backups')
    .option('--no-storage', 'use the default storage destination of the organization')
    .option('--timeout <minutes>', fieldOf('PATCH /projects/{projectId}', 'settings.backupTimeoutMinutes'), parsePositive)
    .option('--max-reads <count>', 'billed reads after which a backup ends', parsePositive)
    .option('--no-max-reads', 'do not limit the reads of a backup')
    .option('--budget <reads>', 'what protection may read a day; with a $ in front: dollars at the list price', parseBudget)
    .option('--no-budget', 'no budget for the reads of a day')
    .option(
      '--search-field <field>',
      'a field that the next backups can be searched by faster; repeat it for several, and name all of them',
      parseEach,
    )
    .option('--no-search-field', 'no fields to search by faster')
    .action(
      action(async ({ client: open, output }, options: UpdateOptions, [wanted = '']) => {
        const { name, storage, timeout: backupTimeoutMinutes } = options;
        const settings = {
          backupTimeoutMinutes,
          maxReads: options.maxReads === false ? null : options.maxReads,
          readBudgetPerDay: options.budget === false ? null : options.budget,
          searchFields: options.searchField === false ? null : options.searchField,
        };
        const labels = labelsOf(options);
        refuseIfUnchanged({ name, labels, storage, ...settings });
        const client = await open();
        const projectId = await findRecordId(client, 'project', wanted);
        const defaultStorageId = storage === false ? null : await findRecordId(client, 'storage', storage);
        const isSet = Object.values({ ...settings, defaultStorageId }).some((value) => value !== undefined);
        const body = { name, labels, settings: isSet ? { ...settings, defaultStorageId } : undefined };
        const project = await client.request('PATCH /projects/{projectId}', { params: { projectId }, body });
        output.result(project, project.id, `Updated ${project.name} (${project.id})`);
      }),
    );
};

/** The labels that options name, as the API takes them; undefined if there are none. Null removes one. */
const labelsOf = ({ label = [], removeLabel = [] }: Pick<UpdateOptions, 'label' | 'removeLabel'>) => {
  const entries = [...removeLabel.map((key) => [key, null] as const), ...label.map(parseLabel)];
  return entries.length === 0 ? undefined : Object.fromEntries<string | null>(entries);
};

const parseLabel = (text: string): readonly [key: string, value: string] => {
  const at = text.indexOf('=');
  if (at < 1 || at === text.length - 1) throw badInput('--label takes key=value, such as team=shop');
  return [text.slice(0, at), text.slice(at + 1)];
};
