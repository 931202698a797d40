/** What running jobs wait for, and what has happened to them, in words. */
import type { DataOf } from '../../../../shared/client/index.ts';
import { formatCount } from '../format/format-number.ts';
import { formatSecond } from '../format/format-time.ts';

type Backup = DataOf<'GET /backups/{backupId}'>;
export type Wait = NonNullable<Backup['waitingFor']>;
export type TimelineEntry = DataOf<'GET /backups/{backupId}/timeline'>['entries'][number];

/** Phases of a backup in which its documents are not counted yet. */
export const uncountedPhases: readonly string[] = ['queued', 'preparing', 'planning'] satisfies readonly Backup['phase'][];

/** How far a running backup is; undefined until its documents are counted. */
export const backupPercent = ({ phase, progress }: Pick<Backup, 'phase' | 'progress'>): number | undefined =>
  progress.totalDocuments === null || uncountedPhases.includes(phase) ? undefined : progress.percent;

type Creator = DataOf<'GET /backups/restore/{restoreJobId}'>['createdBy'];

/** Who or what started a job. */
export const startedBy = (createdBy: Creator): string => {
  if (createdBy?.email) return createdBy.email;
  return createdBy?.type === 'service_account' ? 'Service account' : 'The service';
};

/** Whether a timeline is read again: the last read of a running job may have been before its end. */
export const isTimelineOpen = ({ entries }: { readonly entries: readonly TimelineEntry[] }, isActive: boolean): boolean =>
  isActive || entries.at(-1)?.kind !== 'ended';

interface WaitWords {
  readonly title: string;
  readonly what: string;
}

export const waitWords: Readonly<Record<Wait['reason'], WaitWords>> = {
  quota: {
    title: 'Waits for the quota of the database',
    what: 'The database refuses more calls for now, because a quota is used up. The job goes on by itself once it accepts them.',
  },
  database: {
    title: 'Waits for the database',
    what: 'The database does not answer. The job tries again and again, and goes on by itself.',
  },
  storage: {
    title: 'Waits for the bucket',
    what: 'The bucket does not answer. The job tries again and again, and goes on by itself.',
  },
};

/** The timeline of a job as it is shown, with repeated attempts as one entry. `phase` gives the words of a phase. */
export const jobEntries = (entries: readonly TimelineEntry[] | undefined, phase: (name: string) => string) =>
  entries && runsOf(entries).map((run) => shownRun(run, phase));

type Run = readonly [first: TimelineEntry, ...others: TimelineEntry[]];

/** Attempts that failed alike one after the other are a run; every other entry is one of its own. */
const runsOf = (entries: readonly TimelineEntry[]): readonly Run[] => {
  const runs: [TimelineEntry, ...TimelineEntry[]][] = [];
  for (const entry of entries) {
    const run = runs.at(-1);
    const isAlike = run?.[0].kind === 'attempt_failed' && entry.kind === 'attempt_failed' && run[0].message === entry.message;
    if (run && isAlike) run.push(entry);
    else runs.push([entry]);
  }
  return runs;
};

const shownRun = ([entry, ...others]: Run, phase: (name: string) => string) => {
  const { at, message } = entry;
  const what = timelineWords(entry, phase);
  const last = others.at(-1);
  return {
    at,
    what: last ? `${what}, ${formatCount(others.length + 1)} times until ${formatSecond(new Date(last.at))}` : what,
    detail: message,
    tone: toneOf(entry),
  };
};

const toneOf = ({ kind, status }: TimelineEntry): 'plain' | 'good' | 'warn' | 'bad' => {
  if (kind === 'ended') return status === 'failed' ? 'bad' : status === 'completed' ? 'good' : 'plain';
  return kind === 'waiting' || kind === 'attempt_failed' || kind === 'finding' ? 'warn' : 'plain';
};

const timelineWords = (entry: TimelineEntry, phase: (name: string) => string): string => {
  const { kind, reason, status } = entry;
  switch (kind) {
    case 'created':
      return 'Requested';
    case 'started':
      return 'Started';
    case 'phase':
      return phase(entry.phase ?? '');
    case 'waiting':
      return reason ? waitWords[reason].title : 'Waiting for another job';
    case 'attempt_failed':
      return 'Tried again without success';
    case 'continued':
      return 'Went on';
    case 'finding':
      return 'Damage found';
    case 'ended':
      return status === 'completed'
        ? 'Completed'
        : status === 'cancelled'
          ? 'Cancelled'
          : status === 'failed'
            ? 'Failed'
            : 'Ended';
  }
};
