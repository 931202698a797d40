/** Where a document exists, for people. */
import type { DataOf } from '../../../shared/client/index.ts';
import { formatTime } from './format.ts';
import type { Detail } from './output.ts';
import type { Column } from './render-table.ts';
import type { Style } from './terminal.ts';

export type Located = DataOf<'GET /documents/locate'>;

interface Row {
  readonly time: string;
  readonly where: string;
  readonly state: string;
  readonly style?: Style | undefined;
}

export const locatedDetails = ({ path, projectName, summary, live }: Located): readonly Detail[] => [
  ['Document', path],
  ['Project', projectName],
  ['Live', live ? liveWords(live) : undefined, live ? styleOf(live.exists) : undefined],
  ['Last seen', formatTime(summary.lastSeen)],
  ['Last changed', formatTime(summary.lastChangedAt)],
  [
    'Vanished',
    summary.vanishedBetween
      ? `between ${formatTime(summary.vanishedBetween.from)} and ${formatTime(summary.vanishedBetween.to)}`
      : undefined,
    'red',
  ],
];

/** Backups and captured changes, newest first. */
export const locatedRows = ({ backups, moments }: Located): readonly Row[] =>
  [
    ...backups.map(
      (backup): Row => ({
        time: backup.readTime ?? backup.createdAt,
        where: backup.id,
        state: backupWords(backup),
        style: styleOf(backup.exists),
      }),
    ),
    ...(moments?.changes ?? []).map(
      ({ at, change, restorableAt }): Row => ({
        time: at,
        where: 'captured',
        state: change === 'deleted' ? 'deleted' : restorableAt ? `written; --at ${restorableAt}` : 'written',
        style: change === 'deleted' ? 'red' : 'green',
      }),
    ),
  ].sort((a, b) => Date.parse(b.time) - Date.parse(a.time));

export const locatedColumns: readonly Column<Row>[] = [
  { title: 'TIME (UTC)', value: ({ time }) => formatTime(time) },
  { title: 'WHERE', value: ({ where }) => where },
  { title: 'STATE', value: ({ state }) => state, style: ({ style }) => style, flexible: true },
];

const styleOf = (exists: boolean | null): Style => (exists === null ? 'yellow' : exists ? 'green' : 'red');

const liveWords = ({ exists, erased, updateTime, message }: NonNullable<Located['live']>): string => {
  if (exists === null) return `not known: ${message}`;
  if (!exists) return 'does not exist';
  return erased ? 'exists; erased in backups' : `exists, written ${formatTime(updateTime)}`;
};

const backupWords = ({ exists, erased, changed, message }: Located['backups'][number]): string => {
  if (erased) return 'erased';
  if (exists === null) return `not known: ${message}`;
  if (!exists) return 'does not exist';
  return changed === false ? 'as before' : 'exists';
};
