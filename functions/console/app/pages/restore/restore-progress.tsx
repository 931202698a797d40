import { phaseWords } from '../../data/restore-words.ts';
import type { Restore } from '../../data/restores.ts';
import { JobFigures } from '../../parts/job/job-figures.tsx';
import { PhaseList } from '../../parts/job/phase-list.tsx';
import { useJobRate } from '../../parts/use-job-rate.ts';
import { WaitNotice } from '../../parts/wait-notice.tsx';
import { Card } from '../../ui/data/card.tsx';
import { Notice } from '../../ui/data/notice.tsx';
import { Progress } from '../../ui/data/progress.tsx';

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
        <JobFigures progress={progress} speed={speed} />
        <PhaseList phases={phases} words={phaseWords} phase={phase} isRunning={status === 'running'} />
      </div>
    </Card>
  );
};

/** In order; the last one means that it has ended. */
const phases = (Object.keys(phaseWords) as Restore['phase'][]).slice(0, -1);
