import type { ReactNode } from 'react';
import { Icon, type IconName } from '../icon.tsx';

interface EmptyStateProps {
  readonly icon?: IconName;
  readonly title: string;
  /** How to begin. */
  readonly children?: ReactNode;
  readonly actions?: ReactNode;
}

export const EmptyState = ({ icon = 'archive', title, children, actions }: EmptyStateProps) => (
  <div className="empty">
    <span className="empty__icon">
      <Icon name={icon} size={22} />
    </span>
    <h3>{title}</h3>
    {children && <div className="empty__text">{children}</div>}
    {actions && <div className="row">{actions}</div>}
  </div>
);
