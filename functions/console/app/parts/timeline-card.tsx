import type { ReactNode } from 'react';
import { Card } from '../ui/data/card.tsx';
import { SkeletonText } from '../ui/data/skeleton.tsx';
import { Time } from '../ui/data/time.tsx';

/** An entry of a timeline as it is shown. */
export interface ShownEntry {
  readonly at: string;
  readonly what: string;
  readonly detail: ReactNode;
  readonly tone: 'plain' | 'good' | 'warn' | 'bad';
}

/** What happened to a job or an incident, in order. */
export const TimelineCard = ({ entries }: { readonly entries: readonly ShownEntry[] | undefined }) => (
  <Card title="What happened">
    {entries ? (
      <ol className="timeline" aria-label="Timeline">
        {entries.map((entry, n) => (
          <li key={`${entry.at} ${entry.what} ${String(n)}`} className={`timeline__entry timeline__entry--${entry.tone}`}>
            <Time at={entry.at} seconds />
            <div>
              <div>{entry.what}</div>
              {entry.detail && <div className="small muted wrap-anywhere">{entry.detail}</div>}
            </div>
          </li>
        ))}
      </ol>
    ) : (
      <SkeletonText lines={4} />
    )}
  </Card>
);
