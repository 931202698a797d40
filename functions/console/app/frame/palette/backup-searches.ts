/** Which backups the API is asked for, from what was typed. The newest are known already; these may be of any age. */
import type { ElementOf, InputOf } from '../../../../../shared/client/index.ts';
import { endOfDay, startOfDay } from '../../format/day-range.ts';
import { matchScore } from './match-score.ts';

type BackupFilters = NonNullable<InputOf<'GET /backups'>['query']>;
type Named = Pick<ElementOf<'GET /projects'>, 'id' | 'name' | 'sourceProjectId'>;

/** Each search is a call. */
const projectsMax = 3;

/** None if the text names neither a project nor a day, a status or a type of backups. */
export const backupSearches = (text: string, projects: readonly Named[], now: Date): readonly BackupFilters[] => {
  const words = text
    .toLowerCase()
    .split(/[\s,]+/)
    .filter(Boolean);
  const dates = datesIn(words, now);
  const status = words.find((word) => isOneOf(statuses, word));
  const type = words.find((word) => isOneOf(types, word));
  const filters = { ...dates, ...(status && { status }), ...(type && { type }) } as BackupFilters;
  const rest = words.filter((word) => word !== status && word !== type && word !== 'backup' && !isDateWord(word));
  const isNamed = Object.keys(filters).length > 0;
  if (rest.length === 0) return isNamed ? [{ ...filters, internal: 'exclude' }] : [];
  return projects
    .map(({ id, name, sourceProjectId }) => ({ id, score: matchScore(`${name} ${sourceProjectId}`, rest.join(' ')) }))
    .filter(({ score }) => score > 0)
    .toSorted((one, other) => other.score - one.score)
    .slice(0, projectsMax)
    .map(({ id }) => ({ ...filters, projectId: id, internal: 'exclude' }));
};

/** Those that are not among the newest of the list, because they are listed only if asked for, or are rare. */
const statuses = ['failed', 'cancelled', 'expired', 'deleted', 'completed'] as const;
const types = ['full', 'incremental'] as const;
const isOneOf = (known: readonly string[], word: string): boolean => known.includes(word);

const months = Array.from({ length: 12 }, (_, month) =>
  new Date(2000, month).toLocaleDateString('en', { month: 'long' }).toLowerCase(),
);
const isoDate = /^(\d{4})-(\d{2})(?:-(\d{2}))?$/;
const monthOf = (word: string): number => (word.length < 3 ? -1 : months.findIndex((month) => month.startsWith(word)));
const isDateWord = (word: string): boolean => isoDate.test(word) || /^(\d{1,2}|20\d{2})$/.test(word) || monthOf(word) >= 0;

/** "2026-03-01", "2026-03", "2026", "Mar 1", "1 March 2026": the days, in the person's time zone. A month without a year is the last one. */
const datesIn = (words: readonly string[], now: Date): Pick<BackupFilters, 'from' | 'to'> => {
  const [iso] = words.flatMap((word) => (isoDate.exec(word) ? [word] : []));
  if (iso) return spanOf(iso);
  const month = words.map(monthOf).find((found) => found >= 0);
  const year = words.find((word) => /^20\d{2}$/.test(word));
  if (month === undefined) return year === undefined ? {} : spanOf(year);
  const inYear = year ?? String(month > now.getMonth() ? now.getFullYear() - 1 : now.getFullYear());
  const day = words.find((word) => /^\d{1,2}$/.test(word));
  return spanOf([inYear, pad(month + 1), ...(day === undefined ? [] : [pad(Number(day))])].join('-'));
};

const pad = (number: number): string => String(number).padStart(2, '0');

/** From the first day to the last one of a year, a month or a day; nothing for one that does not exist. */
const spanOf = (text: string): Pick<BackupFilters, 'from' | 'to'> => {
  const [year = 0, month, day] = text.split('-').map(Number);
  const first = `${year}-${pad(month ?? 1)}-${pad(day ?? 1)}`;
  const last = day !== undefined ? first : `${year}-${pad(month ?? 12)}-${pad(new Date(year, month ?? 12, 0).getDate())}`;
  if ([first, last].some((date) => Number.isNaN(Date.parse(date)))) return {};
  return { from: startOfDay(first), to: endOfDay(last) };
};
