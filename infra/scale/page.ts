/** Generates the tables of infra/scale.md. */
import { auditDays } from '../../shared/contract/limits.ts';
import { type BackupKind, estimateBackup } from './backup.ts';
import { auditDollars, captureLimits, estimateCapture, type Precision } from './capture.ts';
import { awsDollars, type Pace } from './estimate.ts';
import { fleetCapacity, fleetLoad } from './fleet.ts';
import { formatCount, formatDollars, formatDuration, formatTable } from './format.ts';
import { backupLimits, restoreLimits } from './job-limits.ts';
import { inOrder, type Limit } from './limit.ts';
import { measured } from './measured.ts';
import { restingCosts } from './resting-costs.ts';
import { estimateRestore, type RestoreKind } from './restore.ts';

const sizes = [1e6, 1e8, 1e10] as const;
const paces = ['fast', 'slow'] as const satisfies readonly Pace[];

const perSecond = (pace: Pace): string => measured.streamPerSecond[pace].toLocaleString('en-US');
/** The first limit that the job exceeds, and the first one that no setting raises. */
const met = (limits: readonly Limit[], documents: number): readonly [first: string, hard: string] => {
  const passed = inOrder(limits).filter(({ at }) => at < documents);
  const hard = passed.find(({ isSetting }) => !isSetting);
  return [passed[0]?.name ?? 'none', hard ? hard.name : 'nothing'];
};

const backups = (kind: BackupKind): string =>
  formatTable(
    ['documents', 'per stream', 'duration', 'AWS', 'Google', 'ranges', 'objects', 'first limit exceeded', 'stopped by'],
    sizes.flatMap((documents) =>
      paces.map((pace) => {
        const made = estimateBackup(documents, pace, kind);
        const { seconds, sourceDollars, shards, stored } = made;
        const cost = [formatDollars(awsDollars(made)), formatDollars(sourceDollars)];
        const limit = met(backupLimits(pace, kind), documents);
        return [
          formatCount(documents),
          `${perSecond(pace)}/s`,
          formatDuration(seconds),
          ...cost,
          String(shards),
          formatCount(stored.objects),
          ...limit,
        ];
      }),
    ),
  );

const kinds = { empty: 'empty', over: 'same size' } as const satisfies Record<RestoreKind, string>;
const restores = (): string =>
  formatTable(
    ['documents', 'target', 'per stream', 'check', 'write', 'AWS', 'Google', 'stopped by'],
    sizes.flatMap((documents) =>
      (
        [
          ['empty', 'fast'],
          ['over', 'fast'],
          ['over', 'slow'],
        ] as const
      ).map(([kind, pace]) => {
        const made = estimateRestore(documents, pace, kind);
        const times = [formatDuration(made.checkSeconds), formatDuration(made.writeSeconds)];
        const cost = [formatDollars(awsDollars(made)), formatDollars(made.sourceDollars)];
        const stream = kind === 'empty' ? '' : `${perSecond(pace)}/s`;
        return [formatCount(documents), kinds[kind], stream, ...times, ...cost, met(restoreLimits(pace, kind), documents)[1]];
      }),
    ),
  );

const audits = [auditDays, 3 * auditDays] as const;

const captures = (): string =>
  formatTable(
    [
      'documents',
      'precision',
      'changes per second',
      'AWS per day',
      'Google per day',
      ...audits.map((days) => `audit in ${days} days`),
      'one read backup',
      'stopped by',
    ],
    sizes.flatMap((documents) =>
      (['second', 'interval'] as const satisfies readonly Precision[]).map((precision) => {
        const made = estimateCapture(documents, precision);
        return [
          formatCount(documents),
          precision,
          formatCount(Number(made.changesPerSecond.toPrecision(2))),
          formatDollars(awsDollars(made)),
          formatDollars(made.sourceDollars),
          ...audits.map((days) => formatDollars(auditDollars(documents, days))),
          formatDollars(estimateBackup(documents, 'fast').sourceDollars),
          met(captureLimits('fast'), documents)[1],
        ];
      }),
    ),
  );

const atRest = (): string =>
  formatTable(
    ['resource', 'per month', 'reason'],
    restingCosts.map(({ what, monthlyDollars, because }) => [what, formatDollars(monthlyDollars), because]),
  );

const jobs = {
  'full backup': (pace: Pace) => backupLimits(pace, 'full'),
  'incremental backup': (pace: Pace) => backupLimits(pace, 'incremental'),
  restore: (pace: Pace) => restoreLimits(pace, 'over'),
  captures: captureLimits,
} as const;

const limits = (): string =>
  formatTable(
    ['job', 'limit', 'at (fast)', 'at (slow)', 'remedy'],
    Object.entries(jobs).flatMap(([job, limitsOf]) =>
      inOrder(limitsOf('fast')).map(({ name, at, remedy }) => {
        const slow = inOrder(limitsOf('slow')).find((limit) => limit.name === name);
        return [job, name, formatCount(at), formatCount(slow?.at ?? Number.NaN), remedy];
      }),
    ),
  );

const together = (): string =>
  formatTable(
    ['resource', 'peak', 'quota', 'reason'],
    fleetLoad.map(({ what, used, most, unit, because }) => [
      what,
      used.toLocaleString('en-US'),
      `${most.toLocaleString('en-US')} ${unit}`,
      because,
    ]),
  );

const width = (): string =>
  formatTable(
    ['jobs', 'concurrent', 'reason'],
    fleetCapacity.map(([what, count, because]) => [what, String(count), because]),
  );

export const sections: Readonly<Record<string, () => string>> = {
  'Full backup': () => backups('full'),
  'Incremental backup': () => backups('incremental'),
  Restore: restores,
  Captures: captures,
  'At rest': atRest,
  'Limits of one job': limits,
  'All jobs together': together,
  'At full width': width,
};

/** Replaces all tables of the page; the text around them stays. */
export const pageWithTables = (page: string): string =>
  Object.entries(sections).reduce((text, [heading, made]) => {
    const parts = text.split(`\n### ${heading}\n`);
    if (parts.length !== 2) throw new Error(`infra/scale.md has no section "${heading}"`);
    const [before = '', after = ''] = parts;
    const rest = after.replace(/(?:^\|.*\n)+/m, `${made()}\n`);
    return `${before}\n### ${heading}\n${rest}`;
  }, page);
