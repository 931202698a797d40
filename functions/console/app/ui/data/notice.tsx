import type { ReactNode } from 'react';
import { Icon } from '../icon.tsx';
import type { Tone } from './badge.tsx';

interface NoticeProps {
  readonly tone?: Exclude<Tone, 'neutral'>;
  readonly title?: ReactNode;
  readonly actions?: ReactNode;
  readonly children?: ReactNode;
}

/** A message within a page. For failures of calls there is ErrorNotice. */
export const Notice = ({ tone = 'info', title, actions, children }: NoticeProps) => (
  <div className={`notice notice--${tone}`}>
    <Icon name={tone === 'good' ? 'checkCircle' : tone === 'info' ? 'info' : 'alert'} />
    <div className="notice__body">
      {title && <strong>{title}</strong>}
      {children && <div className="secondary">{children}</div>}
      {actions && <div className="row">{actions}</div>}
    </div>
  </div>
);
