import { useLocation, useNavigate } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import { useMembership, useSession } from '../../api/session.ts';
import { useDebounced } from '../../api/use-debounced.ts';
import { type Backup, useBackups, useFoundBackups } from '../../data/backups.ts';
import { type Project, useProjects } from '../../data/projects.ts';
import { setTheme } from '../../design/theme.ts';
import { deniedReason } from '../../format/denied-reason.ts';
import { Icon } from '../../ui/icon.tsx';
import { Dialog } from '../../ui/overlay/dialog.tsx';
import { SearchList } from '../../ui/overlay/search-list.tsx';
import { useSwitchOrganization } from '../menu/organization-switcher.tsx';
import { backupSearches } from './backup-searches.ts';
import { backupCommands, type Command, type Found, fixedCommands, projectCommands, searchCommands } from './commands.ts';
import { recentPages } from './recent-pages.ts';

interface PaletteProps {
  /** What was typed before it was there. */
  readonly typed: string;
  readonly onClose: () => void;
  readonly onShortcuts: () => void;
}

/** How many backups are known at once, newest first. Older ones are asked for once the text names their project, day or status. */
const knownBackups = 100;

/** Any project, backup, page or action by typing. */
export const Palette = ({ typed, onClose, onShortcuts }: PaletteProps) => {
  const { id: organizationId, role } = useMembership();
  const { pathname } = useLocation();
  const navigate = useNavigate();
  const [query, setQuery] = useState(typed);
  const { items: projects } = useProjects();
  const { items: backups } = useBackups({ limit: knownBackups, internal: 'exclude' });
  const older = useOlderBackups(query, projects);
  const own = useOwnCommands(onShortcuts);
  const commands = useMemo(
    () => [...fixedCommands, ...projectCommands(projects ?? []), ...own, ...backupCommands(merge(backups, older.data))],
    [projects, backups, older.data, own],
  );
  const [recent] = useState(() => recentPages(organizationId));
  const results = useMemo(
    () => searchCommands(commands, { query, recent, current: pathname }),
    [commands, query, recent, pathname],
  );
  const run = ({ id, act }: Command): void => {
    onClose();
    if (act) act();
    else void navigate({ to: id });
  };
  return (
    <Dialog open bare onClose={onClose} title="Search and commands">
      <div className="palette">
        <SearchList<Found>
          label="Search projects, backups, pages and actions"
          placeholder="Search projects, backups, pages and actions"
          query={query}
          onQuery={setQuery}
          results={results}
          keyOf={({ command }) => command.id}
          groupOf={groupOf}
          disabledReason={({ command }) => command.role && deniedReason(role, command.role)}
          onChoose={({ command }) => run(command)}
          isLoading={!projects || !backups || older.isFetching}
          hint={
            <span>
              <kbd>?</kbd> for shortcuts
            </span>
          }
        >
          {({ command: { icon, label, detail, kind, keys }, group }) => (
            <>
              <Icon name={icon} />
              <span className="palette__text">
                <span className="medium wrap-anywhere">{label}</span>
                {detail && <span className="small secondary wrap-anywhere">{detail}</span>}
              </span>
              {keys && (
                <span className="palette__keys" aria-hidden="true">
                  {keys.map((key) => (
                    <kbd key={key}>{key}</kbd>
                  ))}
                </span>
              )}
              {group === undefined && <span className="small muted palette__kind">{kind}</span>}
            </>
          )}
        </SearchList>
      </div>
    </Dialog>
  );
};

/** Asked for once the person pauses. */
const useOlderBackups = (query: string, projects: readonly Project[] = []) => {
  const text = useDebounced(query.trim());
  const searches = useMemo(() => backupSearches(text ?? '', projects, new Date()), [text, projects]);
  return useFoundBackups(searches);
};

const merge = (...lists: readonly (readonly Backup[] | undefined)[]): readonly Backup[] => [
  ...new Map(lists.flatMap((list) => list ?? []).map((backup) => [backup.id, backup])).values(),
];

const groupOf = ({ group }: Found): string | undefined => group;

const themeCommands: readonly Command[] = [
  { id: 'theme light', kind: 'Action', label: 'Use the light theme', icon: 'sun', act: () => setTheme('light') },
  { id: 'theme dark', kind: 'Action', label: 'Use the dark theme', icon: 'moon', act: () => setTheme('dark') },
  { id: 'theme system', kind: 'Action', label: 'Use the theme of the system', icon: 'refresh', act: () => setTheme('system') },
];

/** What depends on the person: other organizations and how the console looks. */
const useOwnCommands = (onShortcuts: () => void): readonly Command[] => {
  const { organizations } = useSession();
  const { id: currentId } = useMembership();
  const switchTo = useSwitchOrganization();
  const others = organizations.filter(({ id }) => id !== currentId);
  return [
    ...others.map(
      ({ id, name }): Command => ({
        id,
        kind: 'Action',
        label: `Switch to ${name}`,
        icon: 'building',
        words: 'organization',
        act: () => switchTo(id),
      }),
    ),
    ...themeCommands,
    { id: 'shortcuts', kind: 'Action', label: 'Show the keyboard shortcuts', icon: 'info', keys: ['?'], act: onShortcuts },
  ];
};
