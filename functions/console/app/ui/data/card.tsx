import type { ReactNode } from 'react';

interface CardProps {
  readonly title?: ReactNode;
  readonly description?: ReactNode;
  readonly actions?: ReactNode;
  /** The content reaches the edges, as a table does. */
  readonly flush?: boolean;
  readonly children?: ReactNode;
}

export const Card = ({ title, description, actions, flush = false, children }: CardProps) => (
  <section className="card">
    {(title || description || actions) && (
      <header className="card__head">
        <div className="card__titles">
          {title && <h2>{title}</h2>}
          {description && <p className="small muted">{description}</p>}
        </div>
        {actions && <div className="row">{actions}</div>}
      </header>
    )}
    {children !== undefined && <div className={flush ? 'card__body card__body--flush' : 'card__body'}>{children}</div>}
  </section>
);
