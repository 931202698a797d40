import { type TimelineEntry, timelineWords } from '../data/job-words.ts';
import { Card } from '../ui/data/card.tsx';
import { SkeletonText } from '../ui/data/skeleton.tsx';
import { Time } from '../ui/data/time.tsx';

interface TimelineCardProps {
  readonly entries: readonly TimelineEntry[] | undefined;
  /** The words of a phase. */
  readonly phase: (name: string) => string;
}

const toneOf = ({ kind, status }: TimelineEntry): string => {
  if (kind === 'ended') return status === 'failed' ? 'bad' : status === 'completed' ? 'good' : 'plain';
  return kind === 'waiting' || kind === 'attempt_failed' || kind === 'finding' ? 'warn' : 'plain';
};

/** What happened to a job, in order. */
export const TimelineCard = ({ entries, phase }: TimelineCardProps) => (
  <Card title="What happened">
    {entries ? (
      <ol className="timeline" aria-label="Timeline">
        {entries.map((entry, n) => (
          <li key={`${entry.at} ${entry.kind} ${String(n)}`} className={`timeline__entry timeline__entry--${toneOf(entry)}`}>
            <Time at={entry.at} seconds />
            <div>
              <div>{timelineWords(entry, phase)}</div>
              {entry.message && <div className="small muted wrap-anywhere">{entry.message}</div>}
            </div>
          </li>
        ))}
      </ol>
    ) : (
      <SkeletonText lines={4} />
    )}
  </Card>
);
