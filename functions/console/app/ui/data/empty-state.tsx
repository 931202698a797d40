import type { ReactNode } from 'react';
import { Icon, type IconName } from '../icon.tsx';

interface EmptyStateProps {
  readonly icon?: IconName;
  readonly title: string;
  /** 2 where the heading of the page is the only one above it. */
  readonly level?: 2 | 3;
  /** How to begin. */
  readonly children?: ReactNode;
  readonly actions?: ReactNode;
}

export const EmptyState = ({ icon = 'archive', title, level = 3, children, actions }: EmptyStateProps) => {
  const Heading = `h${level}` as const;
  return (
    <div className="empty">
      <span className="empty__icon">
        <Icon name={icon} size={22} />
      </span>
      <Heading>{title}</Heading>
      {children && <div className="empty__text">{children}</div>}
      {actions && <div className="row">{actions}</div>}
    </div>
  );
};
