import { Link, useLocation } from '@tanstack/react-router';
import { useCalm } from '../../api/use-calm.ts';
import { useOpenIncidents } from '../../data/incidents.ts';
import { paths } from '../../paths.ts';
import { Icon } from '../../ui/icon.tsx';
import { menuSections } from './menu-sections.ts';

export const Navigation = ({ onNavigate }: { readonly onNavigate?: () => void }) => {
  const { pathname } = useLocation();
  return (
    <nav className="navigation" aria-label="Main">
      {menuSections.map(([label, entries]) => (
        <div key={label ?? 'top'} className="navigation__section">
          {label && <div className="navigation__label">{label}</div>}
          {entries.map(({ label: text, to, icon }) => (
            <Link
              key={to}
              to={to}
              className="navigation__link"
              activeOptions={{ exact: to === '/', includeSearch: false }}
              activeProps={{ 'aria-current': 'page' }}
              // The wizard and the searches have no entry of their own.
              {...(to === paths.restores &&
                [paths.restoreWizard(), paths.findDocument(), paths.search()].includes(pathname) && { 'aria-current': 'page' })}
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

/** How many incidents are open. One that is muted asks for nobody now. */
const OpenIncidents = () => {
  const { items = [], query } = useOpenIncidents(useCalm());
  const count = items.filter(({ mutedUntil }) => mutedUntil === null).length;
  if (count === 0) return null;
  return (
    <span className="navigation__count">
      <span className="visually-hidden">, open incidents: </span>
      {count}
      {query.hasNextPage && '+'}
    </span>
  );
};
