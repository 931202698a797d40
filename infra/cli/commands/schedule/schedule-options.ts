/** Options that `schedule create` and `schedule update` share. */
import { type Command, InvalidArgumentError } from 'commander';
import type { Client, InputOf } from '../../../../shared/client/index.ts';
import { backupSources, backupTypes, type ChoiceOf } from '../../base/choices.ts';
import { badInput } from '../../base/cli-failure.ts';
import { choiceOption, parseNames, parseWhole } from '../../base/parse-values.ts';
import { findRecordId } from '../../context/find-resource.ts';
import { fieldOf } from '../../texts/contract-text.ts';

type Body = NonNullable<InputOf<'PATCH /schedules/{scheduleId}'>['body']>;
type Policy = NonNullable<Body['retentionPolicy']>;

export interface ScheduleOptions {
  readonly cron?: string | undefined;
  readonly timezone?: string | undefined;
  readonly type?: ChoiceOf<typeof backupTypes> | undefined;
  readonly storage?: string | undefined;
  readonly collections?: readonly string[] | undefined;
  readonly exclude?: readonly string[] | undefined;
  readonly users?: boolean | undefined;
  readonly source?: ChoiceOf<typeof backupSources> | undefined;
  readonly retention?: number | undefined;
  readonly keep?: Policy | undefined;
  readonly enable?: boolean | undefined;
  readonly disable?: boolean | undefined;
}

export const addScheduleOptions = (command: Command): Command => {
  const isNew = command.name() === 'create';
  const route = isNew ? 'POST /schedules' : 'PATCH /schedules/{scheduleId}';
  const cron = fieldOf(route, 'cron');
  if (isNew) command.requiredOption('--cron <cron>', cron);
  else command.option('--cron <cron>', cron).option('--enable', 'resume it');
  return command
    .option('--disable', isNew ? 'create it paused' : 'pause it')
    .option('--timezone <zone>', fieldOf(route, 'timezone'))
    .addOption(choiceOption('--type <type>', fieldOf(route, 'type'), backupTypes))
    .option('--storage <storage>', fieldOf(route, 'storageDestinationId'))
    .option('--collections <names>', 'only these, separated by commas; may be repeated', parseNames)
    .option('--exclude <names>', 'all but these, separated by commas; may be repeated', parseNames)
    .option('--users', 'include the users of Firebase Authentication')
    .addOption(choiceOption('--source <source>', fieldOf(route, 'source'), backupSources))
    .option('--retention <days>', fieldOf(route, 'retention'), parseWhole)
    .option(
      '--keep <counts>',
      'keep the newest backup of each of the last days, weeks, months and years: 7d,4w,12m,5y',
      parseKeep,
    );
};

const units: Readonly<Record<string, keyof Policy>> = { d: 'daily', w: 'weekly', m: 'monthly', y: 'yearly' };

/** `7d,4w,12m` keeps the newest backup of 7 days, 4 weeks and 12 months. */
export const parseKeep = (text: string): Policy => {
  const counts: Record<string, number> = {};
  for (const part of text.split(',')) {
    const [, count, unit = ''] = /^\s*(\d{1,4})([dwmy])\s*$/.exec(part) ?? [];
    const name = units[unit];
    if (count === undefined || name === undefined || counts[name] !== undefined)
      throw new InvalidArgumentError('It must be counts of days, weeks, months and years such as 7d,4w,12m,5y.');
    counts[name] = Number(count);
  }
  return counts;
};

/** Only what was given. */
export const scheduleBody = async (client: Client, options: ScheduleOptions): Promise<Body> => {
  const { cron, timezone, type, storage, collections, exclude, users, source, retention, keep, enable, disable } = options;
  if (enable && disable) throw badInput('--enable and --disable exclude each other');
  if (retention !== undefined && keep !== undefined) throw badInput('--retention and --keep exclude each other');
  return {
    cron,
    timezone,
    type,
    storageDestinationId: await findRecordId(client, 'storage', storage),
    collections: collections && [...collections],
    excludeCollections: exclude && [...exclude],
    includeAuthUsers: users,
    source,
    retention,
    retentionPolicy: keep,
    enabled: enable ? true : disable ? false : undefined,
  };
};
