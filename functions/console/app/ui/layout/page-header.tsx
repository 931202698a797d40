import { Link } from '@tanstack/react-router';
import { Fragment, type ReactNode, useEffect } from 'react';
import { Icon } from '../icon.tsx';

export interface Crumb {
  readonly label: string;
  readonly to: string;
}

interface PageHeaderProps {
  /** Also the title of the browser's tab. */
  readonly title: string;
  readonly description?: ReactNode;
  /** The pages above this one. */
  readonly crumbs?: readonly Crumb[];
  /** Beside the title, such as a status. */
  readonly badge?: ReactNode;
  readonly actions?: ReactNode;
}

export const PageHeader = ({ title, description, crumbs = [], badge, actions }: PageHeaderProps) => {
  useEffect(() => {
    document.title = `${title} · Backups`;
  }, [title]);
  return (
    <header className="page-header">
      {crumbs.length > 0 && <Breadcrumbs crumbs={crumbs} />}
      <div className="page-header__line">
        <div className="stack stack--close page-header__text">
          <div className="page-header__title">
            <h1 className="wrap-anywhere">{title}</h1>
            {badge}
          </div>
          {description && <p className="page-header__description">{description}</p>}
        </div>
        {actions && <div className="row">{actions}</div>}
      </div>
    </header>
  );
};

export const Breadcrumbs = ({ crumbs }: { readonly crumbs: readonly Crumb[] }) => (
  <nav aria-label="Breadcrumbs" className="crumbs">
    {crumbs.map(({ label, to }, index) => (
      <Fragment key={to}>
        {index > 0 && <Icon name="chevronRight" size={12} />}
        <Link to={to}>{label}</Link>
      </Fragment>
    ))}
  </nav>
);
