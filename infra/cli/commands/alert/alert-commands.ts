/** `bms alert`: who is told about failures, and how. */
import type { Command } from 'commander';
import type { DataOf } from '../../../../shared/client/index.ts';
import { attemptStatuses } from '../../../../shared/contract/models/webhook-enums.ts';
import { badInput, CliFailure, refuseIfUnchanged } from '../../base/cli-failure.ts';
import { defineCommand, defineGroup } from '../../base/define-command.ts';
import { exitCodes } from '../../base/exit-codes.ts';
import type { Action } from '../../context/context.ts';
import { addDeliveryCommands } from '../../context/delivery-commands.ts';
import { findRecordId } from '../../context/find-resource.ts';
import { resourceCommands } from '../../context/resource-commands.ts';
import { formatMinute, formatTime } from '../../output/format.ts';
import type { Detail } from '../../output/output.ts';
import { statusStyle } from '../../output/status-style.ts';
import { summaryOf } from '../../texts/contract-text.ts';
import { type AlertBody, type AlertChanges, type AlertOptions, addAlertOptions, alertBody } from './alert-options.ts';

type Alert = DataOf<'GET /alerts/{alertId}'>;

export const addAlertCommands = (program: Command, action: Action): void => {
  const group = defineGroup(program, {
    name: 'alert',
    aliases: ['alerts'],
    summary: 'Report failures by e-mail, Slack, Teams, Discord or PagerDuty',
    examples: [
      'bms alert ls',
      'bms alert create Ops --channel email --to ops@example.com',
      'bms alert test Ops',
      'bms alert deliveries Ops --status failed',
    ],
  });

  const { addList, addShow, addSwitch, addRemove } = resourceCommands({ name: 'alert', sample: 'Ops', group, action });
  addList({
    columns: [
      { title: 'ALERT', value: ({ id }) => id },
      { title: 'NAME', value: ({ name }) => name, flexible: true },
      { title: 'CHANNEL', value: ({ channel }) => channel, optional: 2 },
      { title: 'FROM', value: ({ severity }) => severity, optional: 1 },
      { title: 'STATUS', value: ({ status }) => status, style: ({ status }) => statusStyle(status) },
    ],
    empty: 'No alerts: failures are reported to no one; bms alert create <name> --channel email --to owners',
  });
  addShow(alertDetails);

  addAlertOptions(
    defineCommand(group, {
      name: 'create <name>',
      summary: summaryOf('POST /alerts'),
      description: 'A URL or key without a value is typed on the terminal, or read from the first line of stdin.',
      examples: [
        'bms alert create Ops --channel email --to ops@example.com,ada@example.com --severity critical',
        'bms alert create Chat --channel slack --url < slack-url.txt',
        'bms alert create Pager --channel pagerduty --routing-key --kinds protection_lapsed,verification_failed',
      ],
    }),
    { isNew: true },
  ).action(
    action(async (context, options: AlertOptions & Pick<AlertBody, 'channel'>, [name = '']) => {
      const client = await context.client();
      const { channel } = options;
      const alert = await client.request('POST /alerts', { body: { ...(await alertBody(context, options)), name, channel } });
      context.output.result(alert, alert.id, `Created ${alert.name} (${alert.id})`);
      if (!context.output.isJson) context.output.note(`Try it: bms alert test ${alert.id}`);
    }),
  );

  addAlertOptions(
    defineCommand(group, {
      name: 'update <alert>',
      summary: summaryOf('PATCH /alerts/{alertId}'),
      description: 'A URL or key without a value is typed on the terminal, or read from the first line of stdin.',
      examples: ['bms alert update Ops --severity critical', 'bms alert update Ops --to ops@example.com --all-projects'],
    }),
    { isNew: false },
  ).action(
    action(async (context, options: AlertOptions & AlertChanges, [wanted = '']) => {
      const { name, allProjects, allKinds } = options;
      if (options.projects && allProjects) throw badInput('--projects and --all-projects exclude each other');
      if (options.kinds && allKinds) throw badInput('--kinds and --all-kinds exclude each other');
      const client = await context.client();
      const body = {
        ...(await alertBody(context, options)),
        name,
        ...(allProjects && { projectIds: [] }),
        ...(allKinds && { kinds: [] }),
      };
      refuseIfUnchanged(body);
      const alertId = await findRecordId(client, 'alert', wanted);
      const alert = await client.request('PATCH /alerts/{alertId}', { params: { alertId }, body });
      context.output.result(alert, alertId, `Updated ${alert.name} (${alertId})`);
    }),
  );

  defineCommand(group, {
    name: 'test <alert>',
    summary: summaryOf('POST /alerts/{alertId}/test'),
    description: 'The exit code is 1 if the provider does not accept it.',
    examples: ['bms alert test Ops'],
  }).action(
    action(async ({ client: open, output }, _, [wanted = '']) => {
      const client = await open();
      const alertId = await findRecordId(client, 'alert', wanted);
      const result = await client.request('POST /alerts/{alertId}/test', { params: { alertId } });
      const answer = result.statusCode === null ? '' : `, status ${result.statusCode}`;
      if (result.success || output.isJson) output.result(result, alertId, `Sent by ${result.channel}${answer}`);
      if (!result.success)
        throw new CliFailure(
          exitCodes.failed,
          `the message was not sent${answer}: ${result.error ?? result.response ?? 'no reason given'}`,
        );
    }),
  );

  addSwitch();
  addRemove();
  addDeliveryCommands(group, action, {
    sender: 'alert',
    noun: 'Message',
    statuses: attemptStatuses,
    columns: [
      { title: 'DELIVERY', value: ({ id }) => id },
      { title: 'STATUS', value: ({ status }) => status, style: ({ status }) => statusStyle(status) },
      { title: 'CREATED (UTC)', value: ({ createdAt }) => formatMinute(createdAt), optional: 1 },
      { title: 'MESSAGE', value: ({ title }) => title, flexible: true },
    ],
  });
};

const alertDetails = (alert: Alert): readonly Detail[] => [
  ['Alert', alert.id],
  ['Name', alert.name],
  ['Channel', alert.channel],
  ['Recipients', Array.isArray(alert.recipients) ? alert.recipients.join(', ') : alert.recipients],
  ['URL', alert.url],
  ['Routing key', alert.routingKey],
  ['Status', alert.status, statusStyle(alert.status)],
  ['Failing since', formatTime(alert.failingSince)],
  ['Severity', `${alert.severity} or higher`],
  ['Kinds', alert.kinds.join(', ') || 'all'],
  ['Projects', alert.projectIds.join(', ') || 'all'],
  ['Lapsed after', `${alert.lapsedAfterHours} h`],
  ['Weekly digest', alert.channel === 'email' ? (alert.digest ? 'yes' : 'no') : null],
  ['Last message', alert.lastDelivery && `${alert.lastDelivery.status}, ${formatTime(alert.lastDelivery.at)}`],
];
