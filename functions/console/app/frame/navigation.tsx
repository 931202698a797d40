import { Link, useLocation } from '@tanstack/react-router';
import { useOpenIncidents } from '../data/incidents.ts';
import { paths } from '../paths.ts';
import { Icon, type IconName } from '../ui/icon.tsx';

interface Entry {
  readonly label: string;
  readonly to: string;
  readonly icon: IconName;
}

const sections: readonly (readonly [label: string | undefined, entries: readonly Entry[]])[] = [
  [undefined, [{ label: 'Overview', to: paths.overview, icon: 'home' }]],
  [
    'Protect',
    [
      { label: 'Projects', to: paths.projects, icon: 'database' },
      { label: 'Backups', to: paths.backups, icon: 'archive' },
      { label: 'Schedules', to: paths.schedules, icon: 'calendar' },
      { label: 'Storage', to: paths.storage, icon: 'lock' },
    ],
  ],
  [
    'Recover',
    [
      { label: 'Restores', to: paths.restores, icon: 'undo' },
      { label: 'Restore tests', to: paths.restoreTests, icon: 'shield' },
    ],
  ],
  [
    'Manage',
    [
      { label: 'Alerts', to: paths.alerts, icon: 'bell' },
      { label: 'Webhooks', to: paths.webhooks, icon: 'webhook' },
      { label: 'Audit log', to: paths.audit, icon: 'list' },
      { label: 'Team', to: paths.team, icon: 'users' },
      { label: 'API keys', to: paths.apiKeys, icon: 'key' },
      { label: 'Organization', to: paths.organization, icon: 'building' },
    ],
  ],
];

export const Navigation = ({ onNavigate }: { readonly onNavigate?: () => void }) => {
  const { pathname } = useLocation();
  return (
    <nav className="navigation" aria-label="Main">
      {sections.map(([label, entries]) => (
        <div key={label ?? 'top'} className="navigation__section">
          {label && <div className="navigation__label">{label}</div>}
          {entries.map(({ label: text, to, icon }) => (
            <Link
              key={to}
              to={to}
              className="navigation__link"
              activeOptions={{ exact: to === '/' }}
              activeProps={{ 'aria-current': 'page' }}
              // The wizard and the search for a document have no entry of their own.
              {...(to === paths.restores &&
                (pathname === paths.restoreWizard() || pathname === paths.findDocument()) && { 'aria-current': 'page' })}
              {...(onNavigate && { onClick: onNavigate })}
            >
              <Icon name={icon} />
              {text}
              {to === paths.alerts && <OpenIncidents />}
            </Link>
          ))}
        </div>
      ))}
      <div className="navigation__section navigation__section--last">
        <Link to={paths.docs} className="navigation__link">
          <Icon name="book" />
          API docs
        </Link>
      </div>
    </nav>
  );
};

/** How many incidents are open. */
const OpenIncidents = () => {
  const { items = [], query } = useOpenIncidents();
  if (items.length === 0) return null;
  return (
    <span className="navigation__count">
      <span className="visually-hidden">, open incidents: </span>
      {items.length}
      {query.hasNextPage && '+'}
    </span>
  );
};
