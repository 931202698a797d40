/** What is wrong with the captures of a project, as the API shows it. */
import { after, iso } from '../../platform/index.ts';
import { troubleOf } from '../model/failure-backoff.ts';
import { microsOf, shownMoment } from '../model/micro-time.ts';
import type { Gap, PitrRecord } from '../model/record.ts';
import { affectedCount } from './gaps.ts';
import { baseFor } from './windows.ts';

/** A cycle overdue by this long, and by an interval, has not got a worker. */
const waitingSeconds = 60;
const namesMax = 5;

/** Null while everything is captured, or soon will be. */
export const problemOf = (pitr: PitrRecord, now: Date): string | null => {
  if (pitr.status === 'disabled') return null;
  return troubleOf(pitr) ?? waiting(pitr, now) ?? diverged(pitr) ?? missing(pitr) ?? unproven(pitr) ?? null;
};

const waiting = ({ nextTurnAt, captureIntervalSeconds }: PitrRecord, now: Date): string | undefined => {
  const latest = iso(after(now, -Math.max(waitingSeconds, captureIntervalSeconds)));
  return nextTurnAt !== null && nextTurnAt < latest
    ? `the capture that was due at ${nextTurnAt} waits for a free worker; changes since then are captured once it runs`
    : undefined;
};

const diverged = (pitr: PitrRecord): string | undefined => {
  const last = pitr.diverged?.at(-1);
  if (!pitr.mustReadBase || !last) return undefined;
  const what = last.documents === 1 ? 'one document' : `${last.documents} documents`;
  const [from, to] = [last.from, last.to].map((moment) => shownMoment(microsOf(moment)));
  return `the audit found that ${what} differed at ${to} from what was captured; restores from then on are corrected, those of moments since ${from} may differ; ${baseNews(pitr)}`;
};

const missing = (pitr: PitrRecord): string | undefined => {
  const { gaps, capturedTo, status } = pitr;
  if (status !== 'active' || capturedTo === null) return undefined;
  const end = shownMoment(microsOf(capturedTo));
  if (!baseFor(pitr, capturedTo))
    return `nothing captured up to ${end} can be restored: no base backup follows the last gap; ${baseNews(pitr)}`;
  const gap = gaps.findLast(({ to, collections }) => to === null && collections !== undefined);
  return (
    gap &&
    `${namesOf(gap)} are not captured completely since ${shownMoment(microsOf(gap.from))} (${gap.reason}); ${baseNews(pitr)}`
  );
};

const unproven = ({ unprovenBase, bases }: PitrRecord): string | undefined =>
  unprovenBase &&
  `restores take longer, because they read all changes since ${bases.at(-1)?.readTime ?? 'the first base'}; ${whyUnproven(unprovenBase)}`;

const whyUnproven = ({ backupId, retryAt }: NonNullable<PitrRecord['unprovenBase']>): string =>
  `the base backup ${backupId} cannot be used: it was read between two captures, and counting the source did not prove its moment; the next one is not started before ${retryAt}. With precision second, base backups need no such proof`;

const namesOf = (gap: Gap): string => {
  const count = affectedCount(gap);
  if (count === null) return 'documents of unknown collections';
  const more = count > namesMax ? ` and ${count - namesMax} more` : '';
  return `the collections ${gap.collections?.slice(0, namesMax).join(', ')}${more}`;
};

/** When the base comes that ends it, and why not sooner. */
const baseNews = ({ comingBaseId, baseDueAt, baseTriedAt, baseFailures, unprovenBase }: PitrRecord): string => {
  if (comingBaseId !== null) return `the base backup ${comingBaseId} that ends this was started at ${baseTriedAt}`;
  if (unprovenBase) return whyUnproven(unprovenBase);
  if (baseFailures > 0) return `the base backup that ends this failed at ${baseTriedAt} and is started again after a while`;
  return baseDueAt === undefined
    ? 'the base backup that ends this starts with the next capture, once no other job of the project runs'
    : `the base backup that ends this starts at ${baseDueAt}, once no other job of the project runs: base backups read at most 600,000 documents an hour`;
};
