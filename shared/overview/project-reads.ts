/** What the protection of a project reads a day: the last 30 days, a forecast, and what each setting changes. */
import type * as z from 'zod/mini';
import { auditDays as defaultAuditDays, captureIntervalSeconds as defaultInterval } from '../contract/limits.ts';
import type { ProjectReads, ReadDay as ShownDay } from '../contract/models/project-reads.ts';
import { type ReadPrice, usdOf } from '../contract/read-prices.ts';
import {
  budgetReads,
  captureOffer,
  checkReadsOf,
  consequencesOf,
  type DatabaseSize,
  type Forecast,
  forecastReads,
  type PitrRecord,
  type ProtectionSettings,
  readPitr,
} from '../pitr/index.ts';
import { get, type Tenant } from '../platform/index.ts';
import {
  type DayOfReads,
  databaseData,
  editionOf,
  type ProjectRecord,
  projectReadPrice,
  readDays,
  totalReads,
} from '../project/index.ts';
import { nextRunAfter } from '../recurring/index.ts';
import { type ScheduleRecord, schedulesOf } from '../schedule/index.ts';
import { type BackupRecord, backupKey } from '../stored-backup/index.ts';

type Shown = z.input<typeof ProjectReads>;

const daysShown = 30;
/** Of these the mean is what changes a day. */
const daysSeen = 7;
/** Of a database whose changes were never counted. */
const assumedChanged = 0.01;

export const projectReads = async (
  tenant: Tenant,
  { project, now }: { readonly project: ProjectRecord; readonly now: Date },
): Promise<Shown> => {
  const { id: projectId, lastBackupId } = project;
  const [days, pitr, last, schedules] = await Promise.all([
    readDays(tenant, { projectId, days: daysShown, now }),
    readPitr(tenant, projectId),
    lastBackupId === undefined ? undefined : get(backupKey.backup(tenant, lastBackupId)),
    Array.fromAsync(schedulesOf(tenant, { projectId })),
  ]);
  const price = projectReadPrice(project);
  const budget = budgetReads(project);
  const captured = pitr?.status === 'active' || pitr?.status === 'starting' ? pitr : undefined;
  const changed = changedPerDay(days);
  const size = sizeOf(project, { last, changed, pitr: captured });
  const settings = settingsOf(captured, { schedules, budget, now });
  const forecast = size && forecastReads(size, settings);
  const usdOfReads = (reads: Shown['days'][number] | Forecast['reads']): number => usdOfKinds(reads, price);
  const shownBudget = budget ?? forecast?.allowance.budget ?? 0;
  const { readPrice } = databaseData(project);
  return {
    projectId,
    readPrice,
    documents: size?.documents ?? null,
    changedPerDay: changed ?? null,
    budget: { reads: shownBudget, estimatedUsd: usdOf(shownBudget, price.usdPerMillion), isDefault: budget === undefined },
    auditDays: captured ? (forecast?.allowance.auditDays ?? null) : null,
    countsPerDay: captured ? (forecast?.reads.counts ?? 0) : 0,
    forecast: forecast
      ? { ...forecast.reads, reads: totalReads(forecast.reads), estimatedUsd: usdOfReads(forecast.reads) }
      : null,
    consequences: captured && size && forecast ? [...consequencesFor(size, settings, forecast)] : [],
    choices: size ? [...choicesFor(size, settings, price)] : [],
    offers: size && !captured ? schedules.flatMap((schedule) => offerOf(schedule, { size, settings, price, changed, now })) : [],
    days: days.map(({ date, reads }): z.input<typeof ShownDay> => {
      const total = totalReads(reads);
      return {
        date,
        ...reads,
        reads: total,
        estimatedUsd: usdOfKinds(reads, price),
        exceeded: budget !== undefined && total > budget,
      };
    }),
  };
};

/** What a listener is sent may have a price of its own. */
const usdOfKinds = (reads: Forecast['reads'], { usdPerMillion, usdPerMillionChanges }: ReadPrice): number =>
  Math.round(reads.changes * usdPerMillionChanges + (totalReads(reads) - reads.changes) * usdPerMillion) / 1e6;

/** Mean of the last whole days with captured changes; undefined if there are none. */
const changedPerDay = (days: readonly DayOfReads[]): number | undefined => {
  const seen = days.slice(-daysSeen - 1, -1).filter(({ reads }) => reads.changes > 0 || reads.listing > 0);
  if (seen.length === 0) return undefined;
  return Math.round(seen.reduce((sum, { reads }) => sum + reads.changes, 0) / seen.length);
};

/** Undefined before the first backup: the number of documents is not known. */
const sizeOf = (
  project: ProjectRecord,
  {
    last,
    changed,
    pitr,
  }: {
    readonly last: BackupRecord | undefined;
    readonly changed: number | undefined;
    readonly pitr: PitrRecord | undefined;
  },
): DatabaseSize | undefined => {
  if (!last || last.documentCount === 0) return undefined;
  const { documentCount: documents, originalSize, type, collectionCounts } = last;
  return {
    edition: editionOf(project),
    documents,
    changedPerDay: changed ?? Math.ceil(documents * assumedChanged),
    // An incremental backup holds changed documents only.
    documentBytes: type === 'full' ? Math.ceil(originalSize / documents) : usualDocumentBytes,
    collections: pitr?.knownCount ?? collectionCounts.length,
  };
};

const usualDocumentBytes = 1_024;

const settingsOf = (
  pitr: PitrRecord | undefined,
  {
    schedules,
    budget,
    now,
  }: { readonly schedules: readonly ScheduleRecord[]; readonly budget: number | undefined; readonly now: Date },
): ProtectionSettings => {
  const sum = (some: readonly ScheduleRecord[]): number => some.reduce((all, schedule) => all + runsPerDay(schedule, now), 0);
  const active = schedules.filter(({ enabled }) => enabled);
  return {
    precision: pitr?.precision ?? 'off',
    intervalSeconds: pitr?.captureIntervalSeconds ?? defaultInterval,
    auditDays: pitr?.auditDays ?? defaultAuditDays,
    buildsPerDay: sum(active.filter(mayBeBuilt)),
    readsPerDay: sum(active.filter((schedule) => !mayBeBuilt(schedule))),
    budget,
  };
};

const mayBeBuilt = ({ source, collections, excludeCollections }: ScheduleRecord): boolean =>
  source !== 'read' && collections.includes('*') && excludeCollections.length === 0;

const weekMs = 7 * 24 * 3_600_000;
const runsMax = 2_100;

/** The mean of a week. */
const runsPerDay = (schedule: ScheduleRecord, now: Date): number => {
  let runs = 0;
  let at = nextRunAfter(schedule, now);
  while (at !== null && Date.parse(at) <= now.getTime() + weekMs && runs < runsMax) {
    runs += 1;
    at = nextRunAfter(schedule, new Date(at));
  }
  return runs / 7;
};

const consequencesFor = (size: DatabaseSize, { auditDays }: ProtectionSettings, forecast: Forecast): readonly string[] =>
  consequencesOf(forecast, { auditDays, checkReads: checkReadsOf(size.edition, size.documents) });

/** Each with the other settings as they are. */
const choicesFor = (size: DatabaseSize, settings: ProtectionSettings, price: ReadPrice): Shown['choices'] => {
  const choice = (setting: string, value: string, changed: Partial<ProtectionSettings>): Shown['choices'][number] => {
    const forecast = forecastReads(size, { ...settings, ...changed });
    const isCurrent = Object.entries(changed).every(([name, one]) => settings[name as keyof ProtectionSettings] === one);
    const isCaptured = (changed.precision ?? settings.precision) !== 'off';
    return {
      setting,
      value,
      current: isCurrent,
      reads: totalReads(forecast.reads),
      estimatedUsd: usdOfKinds(forecast.reads, price),
      consequence: isCaptured
        ? (consequencesFor(size, { ...settings, ...changed }, forecast)[setting === 'auditDays' ? 0 : 1] ?? null)
        : 'Every backup reads all documents; nothing can be restored between two backups',
    };
  };
  const days = [...new Set([7, settings.auditDays, 30, 90, 365])].sort((a, b) => a - b);
  return [
    choice('precision', 'off', { precision: 'off' }),
    choice('precision', 'interval', { precision: 'interval' }),
    choice('precision', 'second', { precision: 'second' }),
    ...(settings.precision === 'off' ? [] : days.map((auditDays) => choice('auditDays', String(auditDays), { auditDays }))),
  ];
};

const offerOf = (
  schedule: ScheduleRecord,
  {
    size,
    settings,
    price,
    changed,
    now,
  }: {
    readonly size: DatabaseSize;
    readonly settings: ProtectionSettings;
    readonly price: ReadPrice;
    readonly changed: number | undefined;
    readonly now: Date;
  },
): Shown['offers'] => {
  if (!schedule.enabled || !mayBeBuilt(schedule)) return [];
  const buildsPerDay = runsPerDay(schedule, now);
  const alone = { ...settings, buildsPerDay, readsPerDay: 0, budget: undefined };
  const { reads } = forecastReads(size, { ...alone, precision: 'off' });
  const captured = forecastReads(size, { ...alone, precision: 'interval' }).reads;
  const withCapture = { reads: totalReads(captured), usd: usdOfKinds(captured, price) };
  const offer = captureOffer({ reads: totalReads(reads), withCapture, ...price });
  if (!offer) return [];
  const assumption =
    changed === undefined
      ? `If ${assumedChanged * 100} % of the documents change a day, one capture a minute, everything read again within ${settings.auditDays} days`
      : `With as many changes as were last captured, one capture a minute, everything read again within ${settings.auditDays} days`;
  return [{ scheduleId: schedule.id, ...offer, assumption }];
};
