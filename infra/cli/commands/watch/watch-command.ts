/** `bms watch`: all jobs of the organization that run now, and those that begin meanwhile. */
import type { Command } from 'commander';
import { escapeName } from '../../../archive/escape-output.ts';
import { cliFailureOf } from '../../base/cli-failure.ts';
import { defineCommand } from '../../base/define-command.ts';
import type { Action, Context } from '../../context/context.ts';
import { findRecordId } from '../../context/find-resource.ts';
import { formatCount, formatDuration } from '../../output/format.ts';
import { statusStyle } from '../../output/status-style.ts';
import { waitInShort } from '../../output/wait-words.ts';
import { followJobs, type JobRound } from './follow-jobs.ts';
import { jobSources, type WatchedJob } from './job-sources.ts';

interface WatchCommandOptions {
  readonly project?: string | undefined;
  readonly once?: boolean | undefined;
}

export const addWatchCommand = (program: Command, action: Action): void => {
  defineCommand(program, {
    name: 'watch',
    summary: 'Follow all running jobs, and those that start meanwhile',
    description:
      'Backups, restores, runs of restore tests, and verifications of the newest hundred backups. Goes on when the service does not answer for a while. Ends with Ctrl-C, which ends no job. Without a terminal it prints a line for each change.',
    examples: ['bms watch', 'bms watch --project shop', 'bms watch --once --json'],
  })
    .option('--project <project>', 'of this project')
    .option('--once', 'show what runs now, and end')
    .action(
      action(async (context, { project, once }: WatchCommandOptions) => {
        const client = await context.client();
        const projectId = await findRecordId(client, 'project', project);
        const { signal, output } = context;
        const rounds = followJobs(jobSources({ client, projectId, signal }), signal);
        if (!once) return follow(context, rounds);
        const first = await rounds.next();
        if (!first.done) output.list(first.value.running, { columns, idOf: ({ id }) => id, empty: 'Nothing runs' });
      }),
    );
};

const columns = [
  { title: 'JOB', value: ({ id }: WatchedJob) => id },
  { title: 'KIND', value: ({ kind }: WatchedJob) => kind },
  { title: 'PROJECT', value: ({ project }: WatchedJob) => project, flexible: true },
  { title: 'PHASE', value: ({ phase }: WatchedJob) => phase.toLowerCase() },
  { title: 'PERCENT', value: ({ percent }: WatchedJob) => `${percent} %`, align: 'right' as const },
];

const follow = async (context: Context, rounds: AsyncIterable<JobRound>): Promise<void> => {
  const { output, environment } = context;
  const isLive = output.terminal.hasProgress;
  let drawn = 0;
  let isFirst = true;
  let isOut = false;
  for await (const { events, running, outage } of rounds) {
    if (isLive && drawn > 0) output.progress(`\u001b[${drawn}A\u001b[J`);
    for (const { what, job } of events) tell(context, job, what === 'started' ? what : job.status);
    if (outage && !isOut)
      output.warn(`${cliFailureOf(outage).message}. The jobs may go on; this waits until the service answers`);
    if (!outage && isOut) output.note('The service answers again');
    isOut = outage !== undefined;
    if (isFirst && running.length === 0) output.note('Nothing runs. Waiting for a job; Ctrl-C ends this.');
    isFirst = false;
    const lines = isLive ? running.map((job) => lineOf(job, (environment.stderr.columns || 80) - 1)) : [];
    if (isLive) output.progress(lines.map((line) => `${line}\n`).join(''));
    drawn = lines.length;
  }
};

/** Something began or ended. */
const tell = ({ output }: Context, job: WatchedJob, what: string): void => {
  const { id, kind, project, problem } = job;
  if (output.isJson) output.jsonLine({ at: new Date().toISOString(), what, kind, id, project, problem });
  else if (output.isQuiet) output.line(`${id} ${what}`);
  else {
    const why = problem === null || what === 'started' ? '' : `: ${escapeName(problem)}`;
    const text = `${kind} ${id} of ${escapeName(project)} ${what}${why}`;
    output.line(output.terminal.paint(statusStyle(what) ?? 'reset', text));
  }
};

const lineOf = (job: WatchedJob, columnsMax: number): string => {
  const { kind, project, phase, percent, progress, waitingFor, startedAt, createdAt } = job;
  const elapsed = formatDuration(Math.max(0, Date.now() - Date.parse(startedAt ?? createdAt)));
  const total = progress?.totalDocuments == null ? '' : ` of ${formatCount(progress.totalDocuments)}`;
  const done = progress ? `${formatCount(progress.documents)}${total} documents  ` : '';
  const share = `${String(percent).padStart(3)} %  `;
  const state = waitingFor ? waitInShort(waitingFor, Date.now()) : `${done}${elapsed}`;
  return `  ${kind}  ${escapeName(project)}  ${phase.toLowerCase()}  ${share}${state}`.slice(0, columnsMax);
};
