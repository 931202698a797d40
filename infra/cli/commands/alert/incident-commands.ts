/** `bms incidents`: what fails, and who takes care of it. */
import type { Command } from 'commander';
import type { DataOf, InputOf } from '../../../../shared/client/index.ts';
import { alertKinds, incidentStatuses } from '../../../../shared/contract/models/alert-enums.ts';
import { badInput, CliFailure } from '../../base/cli-failure.ts';
import { collectAll } from '../../base/collect-all.ts';
import { defineCommand, defineGroup, defineList } from '../../base/define-command.ts';
import { exitCodes } from '../../base/exit-codes.ts';
import { parseLater } from '../../base/parse-values.ts';
import type { Action, Context } from '../../context/context.ts';
import { findRecordId } from '../../context/find-resource.ts';
import { resourceCommands } from '../../context/resource-commands.ts';
import { addLimitOptions, type LimitOptions, pageSize, takeSome } from '../../context/take-some.ts';
import { formatMinute, formatTime } from '../../output/format.ts';
import type { Detail } from '../../output/output.ts';
import { statusStyle } from '../../output/status-style.ts';
import { summaryOf } from '../../texts/contract-text.ts';

type Query = NonNullable<InputOf<'GET /alerts/incidents'>['query']>;
type Changes = NonNullable<InputOf<'PATCH /alerts/incidents/{incidentId}'>['body']>;
type Incident = DataOf<'GET /alerts/incidents/{incidentId}'>;

const sample = 'inc_01JZ8Q4V0M6T3X9C2B7N5K1HRD';

export const addIncidentCommands = (program: Command, action: Action): void => {
  const group = defineGroup(program, {
    name: 'incidents',
    aliases: ['incident'],
    summary: 'What fails: acknowledge, assign and mute it, and see what happened',
    examples: ['bms incidents ls', `bms incidents show ${sample}`, `bms incidents ack ${sample} --note "On it"`],
  });
  addList(group, action);
  resourceCommands({ name: 'incident', sample, group, action }).addShow(incidentDetails, {});

  defineCommand(group, {
    name: 'ack <incident>',
    aliases: ['acknowledge'],
    summary: summaryOf('POST /alerts/incidents/{incidentId}/acknowledge'),
    examples: [`bms incidents ack ${sample} --note "The certificate has expired"`],
  })
    .option('--note <text>', 'what others should know')
    .action(
      action(async ({ client: open, output }, { note }: { readonly note?: string }, [wanted = '']) => {
        const client = await open();
        const params = { incidentId: await findRecordId(client, 'incident', wanted) };
        const incident = await client.request('POST /alerts/incidents/{incidentId}/acknowledge', { params, body: { note } });
        output.result(incident, incident.id, `Acknowledged ${incident.title}`);
      }),
    );

  defineCommand(group, {
    name: 'assign <incident> [member]',
    summary: 'Assign an open incident to a member, or to yourself without one',
    description: 'The member is an e-mail address or a user id. Naming another member by address needs the role admin.',
    examples: [
      `bms incidents assign ${sample}`,
      `bms incidents assign ${sample} ada@example.com`,
      `bms incidents assign ${sample} --none`,
    ],
  })
    .option('--none', 'no one takes care of it')
    .action(
      action(async (context, { none }: { readonly none?: boolean }, [wanted = '', member]) => {
        if (none && member !== undefined) throw badInput('--none and a member exclude each other');
        const incident = await change(context, wanted, { assigneeId: none ? null : await findMemberId(context, member) });
        const who = incident.assignee ? `is assigned to ${incident.assignee.email}` : 'is assigned to no one';
        context.output.result(incident, incident.id, `${incident.title} ${who}`);
      }),
    );

  defineCommand(group, {
    name: 'mute <incident>',
    summary: 'Send no messages about an open incident for a time; it stays open',
    examples: [`bms incidents mute ${sample}`, `bms incidents mute ${sample} --until 2d`],
  })
    .option('--until <time>', 'a time, or a duration from now such as 30m, 12h or 7d (default: 4h)', parseLater)
    .action(
      action(async (context, { until = parseLater('4h') }: { readonly until?: string }, [wanted = '']) => {
        const incident = await change(context, wanted, { mutedUntil: until });
        context.output.result(incident, incident.id, `${incident.title} is muted until ${formatTime(incident.mutedUntil)}`);
      }),
    );

  defineCommand(group, {
    name: 'unmute <incident>',
    summary: 'Send messages about an incident again',
    examples: [`bms incidents unmute ${sample}`],
  }).action(
    action(async (context, _, [wanted = '']) => {
      const incident = await change(context, wanted, { mutedUntil: null });
      context.output.result(incident, incident.id, `${incident.title} is not muted`);
    }),
  );
};

const change = async ({ client: open }: Context, wanted: string, body: Changes): Promise<Incident> => {
  const client = await open();
  const params = { incidentId: await findRecordId(client, 'incident', wanted) };
  return client.request('PATCH /alerts/incidents/{incidentId}', { params, body });
};

const findMemberId = async ({ client: open }: Context, member: string | undefined): Promise<string> => {
  if (member?.startsWith('usr_')) return member;
  const client = await open();
  if (member === undefined) return (await client.request('GET /auth/me')).id;
  const members = await collectAll(client.list('GET /organizations/current/members', { query: { limit: 100 } }));
  const found = members.find(({ email }) => email.toLowerCase() === member.toLowerCase());
  if (!found) throw new CliFailure(exitCodes.notFound, `there is no member with the address ${member}`);
  return found.userId;
};

const addList = (group: Command, action: Action): void => {
  const list = defineList(group, {
    summary: summaryOf('GET /alerts/incidents'),
    examples: ['bms incidents ls', 'bms incidents ls --status recovered --project shop'],
  });
  addLimitOptions(
    list
      .addOption(list.createOption('--status <status>', 'with this status').choices(incidentStatuses))
      .addOption(list.createOption('--kind <kind>', 'of this kind').choices(alertKinds))
      .option('--project <project>', 'of this project'),
  ).action(
    action(
      async (
        { client: open, output },
        options: LimitOptions & Pick<Query, 'status' | 'kind'> & { readonly project?: string },
      ) => {
        const client = await open();
        const { status, kind } = options;
        const projectId = await findRecordId(client, 'project', options.project);
        const query = { status, kind, projectId, limit: pageSize(options) };
        output.list(await takeSome(client.list('GET /alerts/incidents', { query }), options, output), {
          columns: [
            { title: 'INCIDENT', value: ({ id }) => id },
            { title: 'OPENED (UTC)', value: ({ openedAt }) => formatMinute(openedAt), optional: 1 },
            { title: 'SEVERITY', value: ({ severity }) => severity, style: ({ severity }) => statusStyle(severity), optional: 2 },
            { title: 'STATUS', value: ({ status: is }) => is },
            { title: 'WHAT', value: ({ title }) => title, flexible: true },
            {
              title: 'WHO',
              value: ({ assignee, acknowledgement }) => assignee?.email ?? acknowledgement?.by.email ?? '–',
              optional: 3,
            },
          ],
          idOf: ({ id }) => id,
          empty: 'No incidents',
        });
      },
    ),
  );
};

const incidentDetails = (incident: Incident): readonly Detail[] => [
  ['Incident', incident.id],
  ['What', incident.title],
  ['Status', incident.status, statusStyle(incident.status)],
  ['Severity', incident.severity, statusStyle(incident.severity)],
  ['Message', incident.message],
  ['Project', incident.project?.name ?? null],
  ['Failures', String(incident.count)],
  ['Since', formatTime(incident.openedAt)],
  ['Recovered', formatTime(incident.recoveredAt)],
  ['Acknowledged by', incident.acknowledgement?.by.email ?? null],
  ['Note', incident.acknowledgement?.note ?? null],
  ['Assigned to', incident.assignee?.email ?? null],
  ['Muted until', formatTime(incident.mutedUntil)],
  ...incident.timeline.map(({ at, type, by, message }): Detail => {
    const what = [type.replace('_', ' '), by?.email && `by ${by.email}`].filter(Boolean).join(' ');
    return [formatTime(at) ?? '', message === null ? what : `${what}: ${message}`];
  }),
];
