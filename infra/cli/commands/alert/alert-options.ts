/** The options of an alert, new or changed. */
import type { Command } from 'commander';
import type { InputOf } from '../../../../shared/client/index.ts';
import { alertChannels, alertKinds, alertSeverities } from '../../../../shared/contract/models/alert-enums.ts';
import { parseNames, parseWhole } from '../../base/parse-values.ts';
import type { Context } from '../../context/context.ts';
import { findProjectIds } from '../../context/find-resource.ts';
import { readSecret } from '../../output/ask.ts';
import { fieldOf } from '../../texts/contract-text.ts';

export type AlertBody = InputOf<'POST /alerts'>['body'];

export interface AlertOptions {
  readonly channel?: AlertBody['channel'] | undefined;
  readonly to?: readonly string[] | undefined;
  /** True: typed on the terminal, or read from stdin, because it may contain a token. */
  readonly url?: string | true | undefined;
  readonly routingKey?: string | true | undefined;
  readonly severity?: AlertBody['severity'];
  readonly projects?: readonly string[] | undefined;
  readonly kinds?: readonly string[] | undefined;
  readonly lapsedAfterHours?: number | undefined;
  readonly digest?: boolean | undefined;
}

/** What only an existing alert has. */
export interface AlertChanges {
  readonly name?: string | undefined;
  readonly allProjects?: true | undefined;
  readonly allKinds?: true | undefined;
}

export const addAlertOptions = (command: Command, { isNew }: { readonly isNew: boolean }): Command => {
  const route = isNew ? 'POST /alerts' : 'PATCH /alerts/{alertId}';
  if (!isNew) command.option('--name <name>', 'a new name');
  command
    .addOption(command.createOption('--channel <channel>', 'how to report').choices(alertChannels).makeOptionMandatory(isNew))
    .option('--to <recipients>', 'email: owners, admins, or addresses separated by commas', parseNames)
    .option('--url [url]', 'slack, teams, discord: the incoming webhook')
    .option('--routing-key [key]', fieldOf(route, 'routingKey'))
    .addOption(command.createOption('--severity <severity>', fieldOf(route, 'severity')).choices(alertSeverities))
    .option('--projects <projects>', 'only of these, separated by commas', parseNames)
    .option('--kinds <kinds>', `only these, separated by commas: ${alertKinds.join(', ')}`, parseNames);
  if (!isNew) command.option('--all-projects', 'of all projects').option('--all-kinds', 'all kinds');
  return command
    .option('--lapsed-after-hours <hours>', fieldOf(route, 'lapsedAfterHours'), parseWhole)
    .option('--digest', 'email: also send the weekly digest')
    .option('--no-digest', 'email: do not send the weekly digest');
};

export const alertBody = async (context: Context, options: AlertOptions): Promise<InputOf<'PATCH /alerts/{alertId}'>['body']> => {
  const { channel, to, url, routingKey, severity, kinds, lapsedAfterHours, digest } = options;
  const projectIds = options.projects && (await findProjectIds(await context.client(), options.projects));
  const [group] = to ?? [];
  return {
    channel,
    recipients: to?.length === 1 && (group === 'owners' || group === 'admins') ? group : to,
    url: url === true ? await readSecret(context, 'URL: ') : url,
    routingKey: routingKey === true ? await readSecret(context, 'Integration key: ') : routingKey,
    severity,
    projectIds,
    // The service names the allowed ones.
    kinds: kinds as AlertBody['kinds'],
    lapsedAfterHours,
    digest,
  };
};
