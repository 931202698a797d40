import type { ReactNode } from 'react';

interface FactProps {
  readonly label: ReactNode;
  /** Takes the whole width. */
  readonly isLong?: boolean;
  /** Of the value. */
  readonly className?: string;
  readonly children: ReactNode;
}

/** A label and its value in a list, `<dl className="facts">`. */
export const Fact = ({ label, isLong = false, className, children }: FactProps) => (
  <div className={isLong ? 'facts__long' : undefined}>
    <dt>{label}</dt>
    <dd className={className}>{children}</dd>
  </div>
);
