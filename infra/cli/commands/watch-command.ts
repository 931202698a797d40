/** `bms watch`: all jobs of the organization that run now, and those that begin meanwhile. */
import { setTimeout as pause } from 'node:timers/promises';
import type { Command } from 'commander';
import type { Client, ElementOf } from '../../../shared/client/index.ts';
import { escapeName } from '../../archive/escape-output.ts';
import { collectAll } from '../base/collect-all.ts';
import { defineCommand } from '../base/define-command.ts';
import type { Action, Context } from '../context/context.ts';
import { findRecordId } from '../context/find-resource.ts';
import { formatCount, formatDuration } from '../output/format.ts';
import { statusStyle } from '../output/status-style.ts';
import { waitInShort } from '../output/wait-words.ts';

type Backup = ElementOf<'GET /backups'>;
type Restore = Awaited<ReturnType<typeof readRestore>>;
type Job = Pick<Backup, 'id' | 'progress' | 'waitingFor' | 'createdAt' | 'startedAt'> & {
  readonly kind: 'backup' | 'restore';
  readonly status: string;
  readonly phase: string;
  readonly project: string;
  readonly problem: string | null;
};

const pollMs = 2_000;

interface WatchCommandOptions {
  readonly project?: string | undefined;
  readonly once?: boolean | undefined;
}

export const addWatchCommand = (program: Command, action: Action): void => {
  defineCommand(program, {
    name: 'watch',
    summary: 'Follow all running backups and restores, and those that start meanwhile',
    description: 'Ends with Ctrl-C, which ends no job. Without a terminal it prints a line for each change.',
    examples: ['bms watch', 'bms watch --project shop', 'bms watch --once --json'],
  })
    .option('--project <project>', 'of this project')
    .option('--once', 'show what runs now, and end')
    .action(
      action(async (context, { project, once }: WatchCommandOptions) => {
        const client = await context.client();
        const projectId = await findRecordId(client, 'project', project);
        const running = await readRunning(client, projectId);
        if (once) return context.output.list(running, { columns, idOf: ({ id }) => id, empty: 'Nothing runs' });
        await follow(context, { client, projectId, running });
      }),
    );
};

const columns = [
  { title: 'JOB', value: ({ id }: Job) => id },
  { title: 'KIND', value: ({ kind }: Job) => kind },
  { title: 'PROJECT', value: ({ project }: Job) => project, flexible: true },
  { title: 'PHASE', value: ({ phase }: Job) => phase.toLowerCase() },
  { title: 'PERCENT', value: ({ progress }: Job) => `${progress.percent} %`, align: 'right' as const },
];

const ofBackup = (backup: Backup): Job => ({
  ...backup,
  kind: 'backup',
  project: backup.projectName ?? backup.projectId,
  problem: backup.error?.message ?? null,
});

const ofRestore = (restore: Restore): Job => ({
  ...restore,
  kind: 'restore',
  id: restore.restoreJobId,
  project: restore.targetProjectName,
  problem: restore.error?.message ?? null,
});

const readRestore = (client: Client, restoreJobId: string) =>
  client.request('GET /backups/restore/{restoreJobId}', { params: { restoreJobId } });

const active = ['pending', 'running'] as const;

const readRunning = async (client: Client, projectId: string | undefined): Promise<readonly Job[]> => {
  const [backups, restores] = await Promise.all([
    Promise.all(active.map((status) => collectAll(client.list('GET /backups', { query: { projectId, status } })))),
    Promise.all(active.map((status) => collectAll(client.list('GET /backups/restore', { query: { projectId, status } })))),
  ]);
  const found = await Promise.all(restores.flat().map(({ restoreJobId }) => readRestore(client, restoreJobId)));
  return [...backups.flat().map(ofBackup), ...found.map(ofRestore)].sort((a, b) => (a.createdAt < b.createdAt ? -1 : 1));
};

const readEnd = async (client: Client, { kind, id }: Job): Promise<Job> =>
  kind === 'backup'
    ? ofBackup(await client.request('GET /backups/{backupId}', { params: { backupId: id } }))
    : ofRestore(await readRestore(client, id));

interface Following {
  readonly client: Client;
  readonly projectId: string | undefined;
  readonly running: readonly Job[];
}

const follow = async (context: Context, { client, projectId, running: first }: Following): Promise<void> => {
  const { output, signal, environment } = context;
  const isLive = output.terminal.hasProgress;
  let before = new Map<string, Job>();
  let drawn = 0;
  let running = first;
  if (running.length === 0) output.note('Nothing runs. Waiting for a backup or restore; Ctrl-C ends this.');
  for (;;) {
    const now = new Map(running.map((job) => [job.id, job]));
    if (isLive && drawn > 0) output.progress(`\u001b[${drawn}A\u001b[J`);
    for (const job of running) if (!before.has(job.id)) tell(context, job, 'started');
    for (const job of before.values()) if (!now.has(job.id)) tell(context, await readEnd(client, job));
    const lines = isLive ? running.map((job) => lineOf(job, (environment.stderr.columns || 80) - 1)) : [];
    if (isLive) output.progress(lines.map((line) => `${line}\n`).join(''));
    drawn = lines.length;
    before = now;
    await pause(pollMs, undefined, { signal });
    running = await readRunning(client, projectId);
  }
};

/** Something began or ended. */
const tell = ({ output }: Context, job: Job, what: string = job.status): void => {
  const { id, kind, project, problem } = job;
  if (output.isJson) output.json({ at: new Date().toISOString(), what, kind, id, project, problem });
  else if (output.isQuiet) output.line(`${id} ${what}`);
  else {
    const why = problem === null ? '' : `: ${escapeName(problem)}`;
    const text = `${kind} ${id} of ${escapeName(project)} ${what}${why}`;
    output.line(output.terminal.paint(statusStyle(job.status) ?? 'reset', text));
  }
};

const lineOf = (job: Job, columnsMax: number): string => {
  const { kind, project, phase, progress, waitingFor, startedAt, createdAt } = job;
  const elapsed = formatDuration(Math.max(0, Date.now() - Date.parse(startedAt ?? createdAt)));
  const total = progress.totalDocuments === null ? '' : ` of ${formatCount(progress.totalDocuments)}`;
  const state = waitingFor
    ? waitInShort(waitingFor, Date.now())
    : `${formatCount(progress.documents)}${total} documents  ${elapsed}`;
  return `  ${kind}  ${escapeName(project)}  ${phase.toLowerCase()}  ${String(progress.percent).padStart(3)} %  ${state}`.slice(
    0,
    columnsMax,
  );
};
