import { exportPhaseWords, phasesOf } from '../../data/export/export-words.ts';
import type { ExportJob } from '../../data/export/exports.ts';
import { JobFigures } from '../../parts/job/job-figures.tsx';
import { PhaseList } from '../../parts/job/phase-list.tsx';
import { useJobRate } from '../../parts/use-job-rate.ts';
import { WaitNotice } from '../../parts/wait-notice.tsx';
import { Card } from '../../ui/data/card.tsx';
import { Notice } from '../../ui/data/notice.tsx';
import { Progress } from '../../ui/data/progress.tsx';

interface ExportProgressProps {
  readonly job: ExportJob;
  /** When the state was read, in milliseconds. */
  readonly seenAt: number;
}

/** A running export: phases, progress, rate and remaining time. */
export const ExportProgress = ({ job, seenAt }: ExportProgressProps) => {
  const { id: jobId, progress, waitingFor, phase, status, cancelling, startedAt } = job;
  const measured = useJobRate({ ...progress, jobId, seenAt, isActive: phase === 'writing' });
  // The last rate says nothing about an export that waits.
  const speed = waitingFor ? undefined : measured;
  const words = exportPhaseWords[phase];
  return (
    <Card
      title={cancelling ? 'Cancelling' : words}
      description="You can leave this page; the export goes on. Its manifest is written last."
    >
      <div className="stack">
        {cancelling && (
          <Notice tone="warn" title="The export is being cancelled">
            It ends when no worker stores a file any more, within a few seconds. Then its files are deleted.
          </Notice>
        )}
        {waitingFor && !cancelling && <WaitNotice wait={waitingFor} />}
        <Progress
          label={words}
          percent={progress.totalDocuments === null ? undefined : progress.percent}
          since={startedAt}
          tone={waitingFor ? 'warn' : 'accent'}
        />
        <JobFigures progress={progress} speed={speed} />
        <PhaseList phases={phasesOf(job)} words={exportPhaseWords} phase={phase} isRunning={status === 'running'} />
      </div>
    </Card>
  );
};
