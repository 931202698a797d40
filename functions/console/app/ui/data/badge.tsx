import type { ReactNode } from 'react';
import { Spinner } from '../spinner.tsx';

export type Tone = 'good' | 'warn' | 'bad' | 'info' | 'neutral';

interface BadgeProps {
  readonly tone?: Tone;
  readonly children: ReactNode;
}

export const Badge = ({ tone = 'neutral', children }: BadgeProps) => <span className={`badge badge--${tone}`}>{children}</span>;

/** The word and tone of every status of a resource. The word carries the meaning; the colour only supports it. */
const statuses: Readonly<Record<string, readonly [word: string, tone: Tone]>> = {
  pending: ['Pending', 'info'],
  running: ['Running', 'info'],
  attempting: ['Attempting', 'info'],
  completed: ['Completed', 'good'],
  passed: ['Passed', 'good'],
  delivered: ['Delivered', 'good'],
  connected: ['Connected', 'good'],
  active: ['Active', 'good'],
  accepted: ['Accepted', 'good'],
  failed: ['Failed', 'bad'],
  error: ['Error', 'bad'],
  unauthorized: ['Not authorized', 'bad'],
  cancelled: ['Cancelled', 'neutral'],
  expired: ['Expired', 'neutral'],
  deleted: ['Deleted', 'neutral'],
  disabled: ['Disabled', 'neutral'],
  skipped: ['Skipped', 'neutral'],
  failing: ['Failing', 'warn'],
  expiring: ['Expires soon', 'warn'],
  open: ['Open', 'bad'],
  recovered: ['Recovered', 'good'],
  starting: ['Starting', 'info'],
};

export const Status = ({ status }: { readonly status: string }) => {
  const [word, tone] = statuses[status] ?? [status, 'neutral'];
  const isActive = status === 'running' || status === 'attempting' || status === 'starting';
  return (
    <span className={`badge badge--${tone}`}>
      {isActive ? <Spinner /> : <span className="badge__dot" aria-hidden="true" />}
      {word}
    </span>
  );
};
