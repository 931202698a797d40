import type { ReactNode } from 'react';
import { Logo } from './logo.tsx';

interface CenteredProps {
  readonly children: ReactNode;
  /** Below the panel. */
  readonly footer?: ReactNode;
}

/** One panel in the middle: pages outside of an organization. */
export const Centered = ({ children, footer }: CenteredProps) => (
  <main className="centered">
    <div className="row row--single centered__brand">
      <Logo size={30} />
      Backups
    </div>
    <section className="centered__panel">{children}</section>
    {footer && <p className="small muted centered__footer">{footer}</p>}
  </main>
);
