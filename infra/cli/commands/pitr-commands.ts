/** `bms pitr`: point-in-time recovery. */

import { setTimeout as pause } from 'node:timers/promises';
import type { Command } from 'commander';
import type { DataOf } from '../../../shared/client/index.ts';
import { escapeOutput } from '../../archive/escape-output.ts';
import { type ChoiceOf, pitrPrecisions } from '../base/choices.ts';
import { refuseIfUnchanged } from '../base/cli-failure.ts';
import { defineCommand, defineGroup } from '../base/define-command.ts';
import { choiceOption, parseWhole } from '../base/parse-values.ts';
import { chooseProjectId } from '../context/choose-project.ts';
import type { Action, Context } from '../context/context.ts';
import { findRecord, findRecordId, type Project } from '../context/find-resource.ts';
import { isUnicode } from '../context/watch-job.ts';
import { drawTimeline, timelineAsciiMarks, timelineMarks } from '../output/draw-timeline.ts';
import { formatCount, formatTime } from '../output/format.ts';
import type { Detail } from '../output/output.ts';
import { statusStyle } from '../output/status-style.ts';
import { fieldOf, summaryOf } from '../texts/contract-text.ts';
import { addPitrCatCommand } from './pitr-cat-command.ts';

type Pitr = DataOf<'GET /projects/{projectId}/pitr'>;
type Windows = DataOf<'GET /projects/{projectId}/pitr/windows'>;

interface EnableOptions {
  readonly retention?: number | undefined;
  readonly interval?: number | undefined;
  readonly precision?: ChoiceOf<typeof pitrPrecisions> | undefined;
  readonly audit?: number | undefined;
  readonly storage?: string | undefined;
  readonly wait?: boolean | undefined;
}

const pollMs = 1_000;
const timelineColumns = 72;

export const addPitrCommands = (program: Command, action: Action): void => {
  const group = defineGroup(program, {
    name: 'pitr',
    summary: 'Point-in-time recovery: enable it, and see what can be restored',
    description: 'bms restore --at <time> --project <project> restores a point in time.',
    examples: ['bms pitr enable shop --wait', 'bms pitr windows shop', 'bms restore --at 10m --project shop --plan'],
  });
  const projectOf = async (context: Context, wanted: string | undefined): Promise<Project> =>
    findRecord(await context.client(), 'project', wanted ?? (await chooseProjectId(context, undefined)));

  defineCommand(group, {
    name: 'windows [project]',
    summary: summaryOf('GET /projects/{projectId}/pitr/windows'),
    examples: ['bms pitr windows shop', 'bms pitr windows shop --collection orders', 'bms pitr windows shop --json'],
  })
    .option('--collection <id>', fieldOf('GET /projects/{projectId}/pitr/windows', 'collection'))
    .action(
      action(async (context, { collection }: { readonly collection?: string }, [wanted]) => {
        const { id: projectId } = await projectOf(context, wanted);
        const input = { params: { projectId }, query: { collection } };
        const windows = await (await context.client()).request('GET /projects/{projectId}/pitr/windows', input);
        if (context.output.isJson) context.output.json(windows);
        else printWindows(context, windows);
      }),
    );

  addPitrCatCommand(group, action);

  defineCommand(group, {
    name: 'show [project]',
    aliases: ['status'],
    summary: summaryOf('GET /projects/{projectId}/pitr'),
    examples: ['bms pitr show shop'],
  }).action(
    action(async (context, _, [wanted]) => {
      const { id: projectId } = await projectOf(context, wanted);
      const pitr = await (await context.client()).request('GET /projects/{projectId}/pitr', { params: { projectId } });
      context.output.show(pitr, projectId, pitrDetails(pitr));
    }),
  );

  defineCommand(group, {
    name: 'enable [project]',
    summary: summaryOf('POST /projects/{projectId}/pitr'),
    examples: ['bms pitr enable shop --retention 14 --wait'],
  })
    .option('--retention <days>', 'how long points in time stay restorable (default: 7)', parseWhole)
    .option('--interval <seconds>', 'how often changes are stored (default: 60)', parseWhole)
    .addOption(choiceOption('--precision <precision>', fieldOf('POST /projects/{projectId}/pitr', 'precision'), pitrPrecisions))
    .option('--audit <days>', fieldOf('POST /projects/{projectId}/pitr', 'auditDays'), parseWhole)
    .option('--storage <storage>', fieldOf('POST /projects/{projectId}/pitr', 'storageDestinationId'))
    .option('--wait', 'wait until the base backup is complete and changes are captured')
    .action(
      action(async (context, options: EnableOptions, [wanted]) => {
        const { id: projectId, name } = await projectOf(context, wanted);
        const client = await context.client();
        const body = {
          retentionDays: options.retention,
          captureIntervalSeconds: options.interval,
          precision: options.precision,
          auditDays: options.audit,
          storageDestinationId: await findRecordId(client, 'storage', options.storage),
        };
        let pitr: Pitr = await client.request('POST /projects/{projectId}/pitr', { params: { projectId }, body });
        while (options.wait && pitr.status === 'starting') {
          await pause(pollMs, undefined, { signal: context.signal });
          pitr = await client.request('GET /projects/{projectId}/pitr', { params: { projectId } });
        }
        context.output.result(pitr, projectId, `Point-in-time recovery of ${name} is ${pitr.status}`);
      }),
    );

  defineCommand(group, {
    name: 'update [project]',
    summary: summaryOf('PATCH /projects/{projectId}/pitr'),
    examples: ['bms pitr update shop --retention 30', 'bms pitr update shop --audit 90'],
  })
    .option('--retention <days>', 'how long points in time stay restorable', parseWhole)
    .option('--interval <seconds>', 'how often changes are stored', parseWhole)
    .addOption(choiceOption('--precision <precision>', fieldOf('PATCH /projects/{projectId}/pitr', 'precision'), pitrPrecisions))
    .option('--audit <days>', fieldOf('PATCH /projects/{projectId}/pitr', 'auditDays'), parseWhole)
    .action(
      action(async (context, { retention, interval, precision, audit }: EnableOptions, [wanted]) => {
        const body = { retentionDays: retention, captureIntervalSeconds: interval, precision, auditDays: audit };
        refuseIfUnchanged(body);
        const { id: projectId, name } = await projectOf(context, wanted);
        const client = await context.client();
        const pitr = await client.request('PATCH /projects/{projectId}/pitr', { params: { projectId }, body });
        context.output.result(pitr, projectId, `Updated point-in-time recovery of ${name}`);
      }),
    );

  defineCommand(group, {
    name: 'disable [project]',
    summary: summaryOf('DELETE /projects/{projectId}/pitr'),
    examples: ['bms pitr disable shop'],
  }).action(
    action(async (context, _, [wanted]) => {
      const { id: projectId, name } = await projectOf(context, wanted);
      const pitr = await (await context.client()).request('DELETE /projects/{projectId}/pitr', { params: { projectId } });
      context.output.result(pitr, projectId, `Point-in-time recovery of ${name} is ${pitr.status}`);
    }),
  );
};

const printWindows = ({ output, environment }: Context, found: Windows): void => {
  const marks = isUnicode(environment.env) ? timelineMarks : timelineAsciiMarks;
  const columns = Math.min(timelineColumns, output.terminal.columns - 2);
  const timeline = drawTimeline(found, { columns, marks, nowMs: Date.now() });
  if (!timeline) {
    output.note('Nothing has been captured yet');
    return;
  }
  const [from, to] = [formatTime(timeline.from) ?? '', formatTime(timeline.to) ?? ''];
  output.line(timeline.line);
  output.line(`${from}${to.padStart(Math.max(1, columns - from.length))}`);
  output.line(
    output.terminal.paint(
      'dim',
      `${marks.complete} restorable  ${marks.some} some collections  ${marks.sampled} sampled  ${marks.gap} gap`,
    ),
  );
  for (const { from: start, to: end, complete, collectionCount } of found.windows)
    output.line(
      `window  ${formatTime(start)} to ${formatTime(end)}${complete ? '' : collectionCount === 0 ? '  not proven' : `  ${collectionCount ?? 'some'} collections`}`,
    );
  for (const { from: start, to: end } of found.sampled)
    output.line(
      `sampled ${formatTime(start)} to ${formatTime(end)}  capturing was interrupted: short-lived documents may be missing`,
    );
  for (const { from: start, to: end, reason } of found.gaps)
    output.line(escapeOutput(`gap     ${formatTime(start)} to ${formatTime(end) ?? 'now'}  ${reason}`));
};

const pitrDetails = (pitr: Pitr): readonly Detail[] => [
  ['Project', pitr.projectId],
  ['Status', pitr.status, statusStyle(pitr.status)],
  ['Problem', pitr.problem, 'red'],
  ...anomalyDetails(pitr),
  ['Precision', pitr.precision],
  ['Retention', `${pitr.retentionDays} days`],
  ['Interval', `${pitr.captureIntervalSeconds} s`],
  ...auditDetails(pitr),
  ['From', formatTime(pitr.earliestRestorableAt)],
  ['To', formatTime(pitr.latestRestorableAt)],
  ['Changes', formatCount(pitr.changesCaptured)],
  ['Base backup', pitr.baseBackupId],
  ['Storage', pitr.storageDestinationId],
  ['Cost', `${formatCount(pitr.cost.reads)} reads, about ${pitr.cost.estimatedUsd} USD`],
];

const auditDetails = ({ audit, auditDays }: Pitr): readonly Detail[] => [
  ['Audit', `everything is read again within ${auditDays} days`],
  ...(audit
    ? ([
        ['Audited since', formatTime(audit.auditedSince)],
        [
          'Differences',
          audit.differences === 0 ? 'none found' : formatCount(audit.differences),
          audit.differences === 0 ? undefined : 'red',
        ],
        ['Audit waits', audit.problem, 'yellow'],
      ] as const)
    : []),
];

const anomalyDetails = ({ anomaly }: Pitr): readonly Detail[] =>
  anomaly
    ? [
        ['Unusual', anomaly.findings.map(({ message }) => message).join('; '), 'yellow'],
        ['', `bms backup acknowledge ${anomaly.keptBackupId}`],
      ]
    : [];
