/** Shows a plan, asks, and starts what was shown. */
import type { Command } from 'commander';
import { type DataOf, type Jobs, mustTypeName } from '../../../shared/client/index.ts';
import { escapeOutput } from '../../archive/escape-output.ts';
import { badInput, CliFailure } from '../base/cli-failure.ts';
import { exitCodes } from '../base/exit-codes.ts';
import { askName, askYesNo } from '../output/ask.ts';
import { formatNames } from '../output/format.ts';
import {
  divergedText,
  findingLines,
  missingLabel,
  missingNames,
  type Plan,
  planSummary,
  printPlan,
  restoreSummary,
} from '../output/restore-view.ts';
import { fieldOf } from '../texts/contract-text.ts';
import type { Context } from './context.ts';
import { type WatchOptions, watchJob } from './watch-job.ts';

export interface ConfirmOptions extends WatchOptions {
  readonly plan?: boolean | undefined;
  readonly dryRun?: boolean | undefined;
  readonly yes?: boolean | undefined;
  readonly deleteDigest?: string | undefined;
}

type RestoreJob = Jobs['restore'];
type Planned = DataOf<'POST /backups/restore'>;

interface PlannedWork {
  readonly title: string;
  readonly question: string;
  /** The project that is written to. */
  readonly targetName: string;
  /** Whether the restore can be undone. */
  readonly safetyBackup: boolean;
  /** The plan, or a job that makes it. */
  readonly plan: () => Promise<Planned>;
  readonly start: (deleteDigest: string | undefined) => Promise<RestoreJob>;
}

export const addConfirmOptions = (command: Command): Command =>
  command
    .option('--plan', 'print the plan, then ask; without a terminal it starts only with --yes')
    .option('--dry-run', 'only print the plan')
    .option('-y, --yes', 'do not ask')
    .option('--delete-digest <digest>', fieldOf('POST /backups/restore', 'options.deleteDigest'));

export const runPlanned = async (context: Context, options: ConfirmOptions, work: PlannedWork): Promise<void> => {
  const { output } = context;
  const { yes, dryRun, plan: showsPlan, deleteDigest } = options;
  const canAsk = output.terminal.isInteractive;
  if (dryRun && yes) throw badInput('--dry-run and --yes exclude each other');
  if (yes && !showsPlan) return followRestore(context, await work.start(deleteDigest), options);
  if (!dryRun && !showsPlan && !canAsk)
    throw badInput(
      'this writes to a database: add --yes to confirm, or --plan to see what it would do; there is no terminal to ask on',
    );

  const plan = await planOf(context, await work.plan());
  const isJson = output.isJson;
  // With --yes the only JSON value is that of the restore.
  if (isJson && !yes) output.json(plan);
  if (!isJson && !output.isQuiet) {
    output.line(output.terminal.paint('bold', escapeOutput(work.title)));
    printPlan(output, plan);
  }
  if (dryRun || (!yes && !canAsk)) {
    if (!dryRun) output.note('Nothing was written; --yes starts it');
    return;
  }
  if (!yes && !(await confirm(context, work, plan))) throw new CliFailure(exitCodes.failed, 'nothing was written');
  await followRestore(context, await work.start(deleteDigest ?? plan.deleteDigest), options);
};

const confirm = (context: Context, { question, targetName, safetyBackup }: PlannedWork, plan: Plan): Promise<boolean> => {
  const text = `${question} ${planSummary(plan)}.`;
  return mustTypeName(plan, { safetyBackup }) ? askName(context, text, targetName) : askYesNo(context, text);
};

/** A large target is planned by a job. */
const planOf = async (context: Context, planned: Planned): Promise<Plan> => {
  if (!('status' in planned)) return planned;
  const job = await watchJob(context, { kind: 'restore', id: planned.restoreJobId, showsProgress: true });
  if (job.status !== 'completed' || !job.plan) throw new CliFailure(exitCodes.failed, failureOf(job));
  const { unknownCollections, ruleMatches, diverged, includeAuthUsers: hasUncountedUsers } = job;
  // Only the response that started the job shows documents.
  return {
    ...job.plan,
    hasUncountedUsers,
    unknownCollections,
    diverged,
    ruleMatches,
    transformPreview: planned.transformPreview,
  };
};

/** Prints a started restore, or waits for its end. */
export const followRestore = async (context: Context, started: RestoreJob, { watch, wait }: WatchOptions): Promise<void> => {
  const { output } = context;
  const { restoreJobId: id } = started;
  if (!watch && !wait) {
    output.result(started, id, `Restore ${id} started`);
    if (!output.isJson) output.note(`Watch it: bms restore watch ${id}`);
    return;
  }
  const ended = await watchJob(context, { kind: 'restore', id, showsProgress: watch === true });
  for (const line of findingLines(ended)) output.warn(`finding in the storage of the backup: ${line}`);
  if (ended.status === 'completed') {
    output.result(ended, id, restoreSummary(ended));
    if (ended.undoUntil && !output.isJson) output.note(`Undo it: bms undo ${id}`);
    const missing = missingNames(ended);
    if (missing !== '') output.warn(`${missingLabel(ended)}: ${missing}`);
    if (ended.partial) output.warn(partialWarning(ended.partial));
    if (ended.diverged) output.warn(divergedText(ended.diverged));
    for (const { path, message } of ended.failures) output.warn(`${path}: ${message}`);
    return;
  }
  if (output.isJson) output.json(ended);
  throw new CliFailure(exitCodes.failed, failureOf(ended));
};

const partialWarning = ({ reason, collections, sampled }: NonNullable<RestoreJob['partial']>): string =>
  sampled ? `${reason}: short-lived documents may be missing` : `${reason}: lacks ${formatNames(collections)}`;

const failureOf = ({ restoreJobId, status, error }: RestoreJob): string =>
  `restore ${restoreJobId} ${status}${error ? `: ${error.message} (${error.code})` : ''}`;
