/** What the command palette offers, and which of it matches. */
import type { ElementOf } from '../../../../../shared/client/index.ts';
import type { Role } from '../../../../../shared/contract/access.ts';
import { type IdKind, isId } from '../../../../../shared/contract/ids.ts';
import { dayOf } from '../../format/day-range.ts';
import { formatMoment } from '../../format/format-time.ts';
import { paths } from '../../paths.ts';
import type { IconName } from '../../ui/icon-paths.ts';
import { menuSections } from '../menu/menu-sections.ts';
import { matchScore } from './match-score.ts';
import { backUpPath, shortcuts } from './shortcuts.ts';

export interface Command {
  /** The address, or the name of what is done. */
  readonly id: string;
  readonly kind: 'Action' | 'Project' | 'Backup' | 'Page';
  readonly label: string;
  readonly icon: IconName;
  readonly detail?: string;
  /** Also found by these, though they are not shown. */
  readonly words?: string;
  /** Who may do it; everyone if absent. */
  readonly role?: Role;
  readonly keys?: readonly string[];
  /** In place of going to the address. */
  readonly act?: () => void;
}

const keysOf = (to: string): Pick<Command, 'keys'> => {
  const keys = [...shortcuts.actions, ...shortcuts.pages].find((shortcut) => shortcut.to === to)?.keys;
  return keys ? { keys } : {};
};

const goTo = (id: string, rest: Omit<Command, 'id' | 'kind'>): Command => ({ id, kind: 'Action', ...rest, ...keysOf(id) });

const actions: readonly Command[] = [
  goTo(backUpPath(undefined), { label: 'Back up now', icon: 'archive', role: 'member', words: 'start create backup' }),
  goTo(paths.restoreWizard(), { label: 'Restore', icon: 'undo', role: 'member', words: 'recover rollback undo' }),
  goTo(paths.newExport(), { label: 'Export a backup', icon: 'download', role: 'member', words: 'csv parquet ndjson json files' }),
  goTo(paths.search(), { label: 'Search a backup by the values of fields', icon: 'search', words: 'query find value text' }),
  goTo(paths.findDocument(), { label: 'Find a document', icon: 'search', words: 'search deleted locate' }),
  goTo(paths.connectProject, { label: 'Connect a project', icon: 'plus', role: 'member', words: 'add new database' }),
  goTo(paths.newSchedule, { label: 'Add a schedule', icon: 'plus', role: 'member', words: 'new create cron' }),
  goTo(paths.newRestoreTest, { label: 'Plan a restore test', icon: 'plus', role: 'member', words: 'new create add' }),
];

const pages: readonly Command[] = [
  ...menuSections.flatMap(([, entries]) =>
    entries.map(({ label, to, icon }): Command => ({ id: to, kind: 'Page', label, icon, ...keysOf(to) })),
  ),
  { id: paths.restoreTestReport, kind: 'Page', label: 'Report of restore tests', icon: 'document', words: 'evidence audit' },
  { id: paths.sessions, kind: 'Page', label: 'Your sign-ins', icon: 'shield', words: 'sessions devices account' },
  { id: paths.docs, kind: 'Page', label: 'API docs', icon: 'book', words: 'reference endpoints' },
];

/** What every organization has. */
export const fixedCommands: readonly Command[] = [...actions, ...pages];

export const projectCommands = (projects: readonly ElementOf<'GET /projects'>[]): readonly Command[] =>
  projects.flatMap(({ id, name, sourceProjectId }): Command[] => [
    { id: paths.project(id), kind: 'Project', label: name, detail: sourceProjectId, icon: 'database', words: id },
    {
      id: backUpPath(id),
      kind: 'Action',
      label: `Back up ${name}`,
      icon: 'archive',
      role: 'member',
      words: 'now start',
    },
  ]);

export const backupCommands = (backups: readonly ElementOf<'GET /backups'>[]): readonly Command[] =>
  backups.map(
    ({ id, projectName, createdAt, status, type }): Command => ({
      id: paths.backup(id),
      kind: 'Backup',
      label: `${projectName ?? 'Backup'}, ${formatMoment(new Date(createdAt))}`,
      detail: `${type}, ${status}`,
      icon: 'archive',
      words: `backup ${dayOf(new Date(createdAt))} ${id}`,
    }),
  );

/** Pages of resources by their ids, such as one that an e-mail or a log names. */
const pagesById: readonly (readonly [IdKind, string, IconName, (id: string) => string])[] = [
  ['backup', 'backup', 'archive', paths.backup],
  ['project', 'project', 'database', paths.project],
  ['restore', 'restore', 'undo', paths.restore],
  ['export', 'export', 'download', paths.export],
  ['schedule', 'schedule', 'calendar', paths.schedule],
  ['restoreTest', 'restore test', 'shield', paths.restoreTest],
  ['restoreTestRun', 'run of a restore test', 'shield', paths.restoreTestRun],
  ['webhook', 'webhook', 'webhook', paths.webhook],
  ['alert', 'alert', 'bell', paths.alert],
  ['incident', 'incident', 'alert', paths.incident],
];

/** What the text itself names: an id, or the path of a document. */
const namedBy = (text: string): readonly Command[] => {
  for (const [kind, name, icon, path] of pagesById)
    if (isId(kind, text)) return [{ id: path(text), kind: 'Page', label: `Open the ${name} ${text}`, icon }];
  if (!text.includes('/') || text.startsWith('/')) return [];
  return [{ id: paths.findDocument({ path: text }), kind: 'Action', label: `Find the document ${text}`, icon: 'search' }];
};

export interface Found {
  readonly command: Command;
  /** The heading above it. */
  readonly group?: string;
}

interface Search {
  readonly query: string;
  /** The pages that were visited last, newest first. */
  readonly recent: readonly string[];
  /** The page that is open. */
  readonly current: string;
}

const shownResults = 50;

/** The best first; pages visited lately before others that match as well. With nothing typed those, then actions and pages. */
export const searchCommands = (commands: readonly Command[], { query, recent, current }: Search): readonly Found[] => {
  const text = query.trim();
  if (text === '') return startOf(commands, recent, current);
  const named = namedBy(text);
  const scored = commands.flatMap((command, position) => {
    const { id, label, detail = '', words = '' } = command;
    const score = Math.max(matchScore(label, text), matchScore(`${label} ${detail} ${words}`, text) / 2);
    const bonus = recent.includes(id) ? 8 : 0;
    return score > 0 && named.every((other) => other.id !== id) ? [{ command, position, score: score + bonus }] : [];
  });
  scored.sort((one, other) => other.score - one.score || one.position - other.position);
  return [...named, ...scored.map(({ command }) => command)].slice(0, shownResults).map((command) => ({ command }));
};

const shownRecent = 5;

const startOf = (commands: readonly Command[], recent: readonly string[], current: string): readonly Found[] => {
  const visited = recent
    .filter((id) => id !== current)
    .flatMap((id) => commands.find((command) => command.id === id) ?? [])
    .slice(0, shownRecent);
  const others = fixedCommands.filter(({ id }) => visited.every((other) => other.id !== id));
  return [
    ...visited.map((command) => ({ command, group: 'Recent' })),
    ...others.map((command) => ({ command, group: command.kind === 'Action' ? 'Actions' : 'Pages' })),
  ];
};
