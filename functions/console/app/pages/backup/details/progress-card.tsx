import { backupPhases } from '../../../data/backup-words.ts';
import type { Backup } from '../../../data/backups.ts';
import { backupPercent } from '../../../data/job-words.ts';
import { formatCount, formatPlural } from '../../../format/format-number.ts';
import { formatDuration } from '../../../format/format-time.ts';
import { useJobRate } from '../../../parts/use-job-rate.ts';
import { WaitNotice } from '../../../parts/wait-notice.tsx';
import { Card } from '../../../ui/data/card.tsx';
import { Elapsed } from '../../../ui/data/elapsed.tsx';
import { Fact } from '../../../ui/data/fact.tsx';
import { Progress } from '../../../ui/data/progress.tsx';
import { Time } from '../../../ui/data/time.tsx';
import { Spinner } from '../../../ui/spinner.tsx';
import { StepMark } from '../../../ui/step-mark.tsx';

interface ProgressCardProps {
  readonly backup: Backup;
  /** When the state was read, in milliseconds. */
  readonly seenAt: number;
}

export const ProgressCard = ({ backup, seenAt }: ProgressCardProps) => {
  const { phase, progress, startedAt, type, waitingFor } = backup;
  const { documents, totalDocuments } = progress;
  const rate = useJobRate({ ...progress, jobId: backup.id, seenAt, isActive: phase === 'copying', startedAt });
  const current = backupPhases.findIndex(([name]) => name === phase);
  return (
    <Card title="In progress" description={backupPhases[current]?.[2]}>
      <div className="stack">
        <ol className="backup__phases">
          {backupPhases.map(([name, word], n) => (
            <li key={name} className={phaseClass(n, current)} aria-current={n === current ? 'step' : undefined}>
              <StepMark size="small" state={n < current ? 'done' : n === current ? 'running' : 'later'}>
                {n === current && <Spinner />}
              </StepMark>
              {word}
              {n < current && <span className="visually-hidden"> (done)</span>}
            </li>
          ))}
        </ol>
        {waitingFor && <WaitNotice wait={waitingFor} />}
        <Progress
          label={backupPhases[current]?.[1] ?? 'Backup'}
          percent={backupPercent(backup)}
          since={startedAt}
          tone={waitingFor ? 'warn' : 'accent'}
        />
        <dl className="facts backup__live" aria-live="off">
          <Fact label="Documents read" className="number">
            {formatCount(documents)}
            {totalDocuments !== null && <span className="muted"> of {formatCount(totalDocuments)}</span>}
          </Fact>
          <Fact label="Rate" className="number">
            {rate === undefined || waitingFor ? '–' : `${formatPlural(Math.round(rate.perSecond), 'document')}/s`}
          </Fact>
          <Fact label="Time left" className="number">
            {waitingFor ? 'Unknown: it waits' : remainingWords(phase, rate?.remainingMs)}
          </Fact>
          <Fact label="Started">
            {startedAt ? (
              <>
                <Elapsed since={startedAt} /> ago, <Time at={startedAt} seconds />
              </>
            ) : (
              'Not yet'
            )}
          </Fact>
        </dl>
        <p className="small muted">
          You can leave this page; the backup goes on.
          {type === 'incremental' && ' An incremental backup reads every document and stores only what changed.'}
        </p>
      </div>
    </Card>
  );
};

const phaseClass = (n: number, current: number): string =>
  n < current ? 'backup__phase backup__phase--done' : n === current ? 'backup__phase backup__phase--now' : 'backup__phase';

const remainingWords = (phase: Backup['phase'], remainingMs: number | undefined): string => {
  if (phase === 'sealing') return 'A moment';
  if (remainingMs === undefined) return phase === 'copying' ? 'Being estimated' : '–';
  return remainingMs < 1_000 ? 'A moment' : `About ${formatDuration(Math.ceil(remainingMs / 1_000) * 1_000)}`;
};
