import { phaseWords } from '../../data/restore-words.ts';
import type { Restore } from '../../data/restores.ts';
import { formatCount } from '../../format/format-number.ts';
import { formatDuration } from '../../format/format-time.ts';
import { useJobRate } from '../../parts/use-job-rate.ts';
import { WaitNotice } from '../../parts/wait-notice.tsx';
import { Card } from '../../ui/data/card.tsx';
import { Notice } from '../../ui/data/notice.tsx';
import { Progress } from '../../ui/data/progress.tsx';
import { Icon } from '../../ui/icon.tsx';
import { Spinner } from '../../ui/spinner.tsx';

interface RestoreProgressProps {
  readonly restore: Restore;
  /** When the state was read, in milliseconds. */
  readonly seenAt: number;
}

/** A running restore: phases, progress, rate and remaining time. */
export const RestoreProgress = ({ restore, seenAt }: RestoreProgressProps) => {
  const { restoreJobId: jobId, progress, waitingFor, phase, status, cancelling } = restore;
  const measured = useJobRate({ ...progress, jobId, seenAt, isActive: phase === 'Restoring' });
  // The last rate says nothing about a restore that waits.
  const speed = waitingFor ? undefined : measured;
  return (
    <Card
      title={cancelling ? 'Cancelling' : status === 'pending' ? 'Waiting to begin' : phaseWords[phase]}
      description={phase === 'Restoring' ? undefined : 'Nothing is written before everything was read and compared.'}
    >
      <div className="stack">
        {cancelling && (
          <Notice tone="warn" title="The restore is being cancelled">
            It ends when nothing writes any more, within a few seconds. Then this page shows what was written.
          </Notice>
        )}
        {waitingFor && !cancelling && <WaitNotice wait={waitingFor} />}
        <Progress
          label={phaseWords[phase]}
          percent={status === 'pending' ? undefined : progress.percent}
          since={restore.startedAt}
          tone={waitingFor ? 'warn' : 'accent'}
        />
        <div className="row row--spread small secondary number">
          {progress.totalDocuments !== null && (
            <span>
              {formatCount(progress.documents)} of {formatCount(progress.totalDocuments)} documents
            </span>
          )}
          {speed && <span>{formatCount(Math.round(speed.perSecond))} per second</span>}
          {speed?.remainingMs !== undefined && <span>about {formatDuration(speed.remainingMs)} left</span>}
        </div>
        <Phases restore={restore} />
      </div>
    </Card>
  );
};

const Phases = ({ restore: { phase, status } }: { readonly restore: Restore }) => {
  const current = phases.indexOf(phase);
  return (
    <ol className="restore__phases" aria-label="Phases">
      {phases.map((name, index) => {
        const state = index < current ? 'done' : index === current && status === 'running' ? 'current' : 'next';
        return (
          <li
            key={name}
            className={`row row--single restore__phase restore__phase--${state}`}
            aria-current={state === 'current' ? 'step' : undefined}
          >
            {state === 'done' ? (
              <Icon name="check" size={14} />
            ) : state === 'current' ? (
              <Spinner />
            ) : (
              <span className="restore__dot" />
            )}
            {phaseWords[name]}
          </li>
        );
      })}
    </ol>
  );
};

/** In order; the last one means that it has ended. */
const phases = (Object.keys(phaseWords) as Restore['phase'][]).slice(0, -1);
