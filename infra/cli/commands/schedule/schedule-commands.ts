/** `bms schedule`: regular backups. */
import type { Command } from 'commander';
import { ApiFailure, type Client } from '../../../../shared/client/index.ts';
import { refuseIfUnchanged } from '../../base/cli-failure.ts';
import { collectAll } from '../../base/collect-all.ts';
import { defineCommand, defineGroup } from '../../base/define-command.ts';
import { parsePositive } from '../../base/parse-values.ts';
import { chooseProjectId } from '../../context/choose-project.ts';
import type { Action } from '../../context/context.ts';
import { findRecord, findRecordId, projectNames, type Schedule } from '../../context/find-resource.ts';
import { followBackup } from '../../context/follow-backup.ts';
import { resourceCommands } from '../../context/resource-commands.ts';
import { addWatchOptions, type WatchOptions } from '../../context/watch-job.ts';
import { formatMinute, formatRelative } from '../../output/format.ts';
import type { Output } from '../../output/output.ts';
import type { Column } from '../../output/render-table.ts';
import { scheduleDetails, stateOf } from '../../output/schedule-view.ts';
import { statusStyle } from '../../output/status-style.ts';
import { summaryOf } from '../../texts/contract-text.ts';
import { addScheduleOptions, type ScheduleOptions, scheduleBody } from './schedule-options.ts';
import { upcomingRuns } from './upcoming-runs.ts';

const columnsWith = (names: ReadonlyMap<string, string>): readonly Column<Schedule>[] => [
  { title: 'SCHEDULE', value: ({ id }) => id },
  { title: 'NAME', value: ({ name }) => name, flexible: true },
  { title: 'PROJECT', value: ({ projectId }) => names.get(projectId) ?? projectId, flexible: true, optional: 3 },
  { title: 'CRON', value: ({ cron }) => cron, flexible: true, optional: 1 },
  { title: 'STATUS', value: (schedule) => stateOf(schedule), style: (schedule) => statusStyle(stateOf(schedule)) },
  { title: 'NEXT (UTC)', value: ({ nextRunAt }) => formatMinute(nextRunAt), optional: 2 },
];

/** Only tables show names: schedules of several projects may share theirs. */
const namesFor = async ({ isJson, isQuiet }: Output, client: Client): Promise<ReadonlyMap<string, string>> =>
  isJson || isQuiet ? new Map() : projectNames(client);

/** Capture, where it costs less than what the schedule reads. It is no reason for the command to fail. */
const captureOfferOf = async (client: Client, scheduleId: string): Promise<{ readonly captureOffer?: string }> => {
  try {
    const { projectId } = await client.request('GET /schedules/{scheduleId}', { params: { scheduleId } });
    const { offers } = await client.request('GET /projects/{projectId}/reads', { params: { projectId } });
    const offer = offers.find((one) => one.scheduleId === scheduleId);
    return offer ? { captureOffer: offer.text } : {};
  } catch (error) {
    if (error instanceof ApiFailure) return {};
    throw error;
  }
};

export const addScheduleCommands = (program: Command, action: Action): void => {
  const group = defineGroup(program, {
    name: 'schedule',
    aliases: ['schedules'],
    summary: 'Create, change and run schedules',
    examples: ['bms schedule ls', 'bms schedule create Nightly --project shop --cron "0 3 * * *"', 'bms schedule run Nightly'],
  });

  const { addList, addShow, addRemove } = resourceCommands({ name: 'schedule', sample: 'Nightly', group, action });
  addList({
    examples: ['bms schedule ls --project shop'],
    ofProject: true,
    columns: async ({ client, output }) => columnsWith(await namesFor(output, await client())),
    empty: 'No schedules',
  });
  addShow(scheduleDetails, { extend: captureOfferOf });

  addScheduleOptions(
    defineCommand(group, {
      name: 'create <name>',
      summary: summaryOf('POST /schedules'),
      examples: [
        'bms schedule create Nightly --project shop --cron "30 2 * * *" --timezone Europe/Berlin --type incremental',
        'bms schedule create Nightly --project shop --cron @daily --keep 7d,4w,12m',
      ],
    }).option('--project <project>', 'the project to back up; needed if there are several'),
  ).action(
    action(async (context, options: ScheduleOptions & { readonly project?: string }, [name = '']) => {
      const client = await context.client();
      const body = await scheduleBody(client, options);
      const projectId = await chooseProjectId(context, options.project);
      const schedule = await client.request('POST /schedules', { body: { ...body, name, projectId, cron: body.cron ?? '' } });
      context.output.result(
        schedule,
        schedule.id,
        `Created ${schedule.name} (${schedule.id}); next run ${formatMinute(schedule.nextRunAt) ?? 'never'} UTC`,
      );
    }),
  );

  addScheduleOptions(
    defineCommand(group, {
      name: 'update <schedule>',
      summary: summaryOf('PATCH /schedules/{scheduleId}'),
      examples: ['bms schedule update Nightly --disable', 'bms schedule update Nightly --cron "0 4 * * *"'],
    }).option('--name <name>', 'a new name'),
  ).action(
    action(async ({ client: open, output }, options: ScheduleOptions & { readonly name?: string }, [wanted = '']) => {
      const client = await open();
      const body = { ...(await scheduleBody(client, options)), name: options.name };
      refuseIfUnchanged(body);
      const scheduleId = await findRecordId(client, 'schedule', wanted);
      const schedule = await client.request('PATCH /schedules/{scheduleId}', { params: { scheduleId }, body });
      const next = schedule.enabled ? `next run ${formatMinute(schedule.nextRunAt) ?? 'never'} UTC` : 'paused';
      output.result(schedule, schedule.id, `Updated ${schedule.name} (${schedule.id}); ${next}`);
    }),
  );

  addRemove();

  addWatchOptions(
    defineCommand(group, {
      name: 'run <schedule>',
      aliases: ['trigger'],
      summary: summaryOf('POST /schedules/{scheduleId}/trigger'),
      examples: ['bms schedule run Nightly --watch'],
    }),
  ).action(
    action(async (context, options: WatchOptions, [wanted = '']) => {
      const client = await context.client();
      const scheduleId = await findRecordId(client, 'schedule', wanted);
      const started = await client.request('POST /schedules/{scheduleId}/trigger', { params: { scheduleId } });
      await followBackup(context, started, options);
    }),
  );

  defineCommand(group, {
    name: 'next [schedule]',
    summary: 'List the next runs of one schedule, or of all',
    examples: ['bms schedule next', 'bms schedule next Nightly --count 10'],
  })
    .option('--count <count>', 'how many (default: 5)', parsePositive)
    .action(
      action(async ({ client: open, output }, { count = 5 }: { readonly count?: number }, [wanted]) => {
        const client = await open();
        const schedules =
          wanted === undefined ? await collectAll(client.list('GET /schedules')) : [await findRecord(client, 'schedule', wanted)];
        const runs = upcomingRuns(schedules, new Date(), count);
        const names = await namesFor(output, client);
        const projectOf = new Map(schedules.map(({ id, projectId }) => [id, names.get(projectId) ?? projectId]));
        output.list(runs, {
          columns: [
            { title: 'AT (UTC)', value: ({ at }) => formatMinute(at) },
            { title: 'IN', value: ({ at }) => formatRelative(at, Date.now()), optional: 1 },
            { title: 'SCHEDULE', value: ({ scheduleId }) => scheduleId },
            { title: 'NAME', value: ({ name }) => name, flexible: true },
            { title: 'PROJECT', value: ({ scheduleId }) => projectOf.get(scheduleId), flexible: true, optional: 2 },
          ],
          idOf: ({ at }) => at,
          empty: 'Nothing is scheduled',
        });
      }),
    );
};
