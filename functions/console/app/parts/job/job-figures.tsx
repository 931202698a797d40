import { formatCount } from '../../format/format-number.ts';
import { formatDuration } from '../../format/format-time.ts';
import type { JobRate } from '../use-job-rate.ts';

interface JobFiguresProps {
  readonly progress: { readonly documents: number; readonly totalDocuments: number | null };
  /** Undefined while there is nothing to tell. */
  readonly speed: JobRate | undefined;
}

/** What a running job has done, how fast it is, and how long it still takes. */
export const JobFigures = ({ progress: { documents, totalDocuments }, speed }: JobFiguresProps) => (
  <div className="row row--spread small secondary number">
    {totalDocuments !== null && (
      <span>
        {formatCount(documents)} of {formatCount(totalDocuments)} documents
      </span>
    )}
    {speed && <span>{formatCount(Math.round(speed.perSecond))} per second</span>}
    {speed?.remainingMs !== undefined && <span>about {formatDuration(speed.remainingMs)} left</span>}
  </div>
);
