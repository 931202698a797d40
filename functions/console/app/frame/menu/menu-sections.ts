import { paths } from '../../paths.ts';
import type { IconName } from '../../ui/icon-paths.ts';

export interface MenuEntry {
  readonly label: string;
  readonly to: string;
  readonly icon: IconName;
  /** After `g`, this key leads to the page. */
  readonly key?: string;
}

/** The menu. Shortcuts and the command palette lead to the same pages. */
export const menuSections: readonly (readonly [label: string | undefined, entries: readonly MenuEntry[]])[] = [
  [undefined, [{ label: 'Overview', to: paths.overview, icon: 'home', key: 'o' }]],
  [
    'Protect',
    [
      { label: 'Projects', to: paths.projects, icon: 'database', key: 'p' },
      { label: 'Backups', to: paths.backups, icon: 'archive', key: 'b' },
      { label: 'Schedules', to: paths.schedules, icon: 'calendar', key: 's' },
      { label: 'Storage', to: paths.storage, icon: 'lock' },
    ],
  ],
  [
    'Recover',
    [
      { label: 'Restores', to: paths.restores, icon: 'undo', key: 'r' },
      { label: 'Exports', to: paths.exports, icon: 'download', key: 'e' },
      { label: 'Restore tests', to: paths.restoreTests, icon: 'shield', key: 't' },
    ],
  ],
  [
    'Manage',
    [
      { label: 'Alerts', to: paths.alerts, icon: 'bell', key: 'a' },
      { label: 'Webhooks', to: paths.webhooks, icon: 'webhook' },
      { label: 'Audit log', to: paths.audit, icon: 'list', key: 'l' },
      { label: 'Report', to: paths.report, icon: 'book' },
      { label: 'Team', to: paths.team, icon: 'users' },
      { label: 'API keys', to: paths.apiKeys, icon: 'key' },
      { label: 'Organization', to: paths.organization, icon: 'building' },
    ],
  ],
];
