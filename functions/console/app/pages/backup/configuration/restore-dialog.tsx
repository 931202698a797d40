import { useEffect } from 'react';
import type { Backup } from '../../../data/backups.ts';
import {
  type ConfigurationRestore,
  usePlanConfiguration,
  useRestoreConfiguration,
} from '../../../data/configuration/configuration.ts';
import { sentence } from '../../../format/sentence.ts';
import { Badge } from '../../../ui/data/badge.tsx';
import { ErrorNotice } from '../../../ui/data/error-notice.tsx';
import { Notice } from '../../../ui/data/notice.tsx';
import { SkeletonText } from '../../../ui/data/skeleton.tsx';
import { Button } from '../../../ui/form/button.tsx';
import { Dialog } from '../../../ui/overlay/dialog.tsx';
import { actionWords, kindWords, partWords, settingWords, stepRemark } from './configuration-words.ts';

interface RestoreDialogProps {
  readonly backup: Backup;
  readonly onClose: () => void;
}

/** The plan, what is done, and how far the indexes are. */
export const RestoreDialog = ({ backup, onClose }: RestoreDialogProps) => {
  const plan = usePlanConfiguration(backup.id);
  const restore = useRestoreConfiguration(backup.id);
  const { mutate: read, data: planned, isPending: isReading } = plan;
  useEffect(() => read(undefined), [read]);
  const failed = restore.data?.steps.filter(({ outcome }) => outcome === 'failed' || outcome === 'not_reached') ?? [];
  const isBuilding = planned?.steps.some(({ action }) => action === 'building') ?? false;
  // Google builds indexes for minutes: the plan is read again while the dialog is open.
  useEffect(() => {
    if (!isBuilding || isReading) return;
    const timer = setTimeout(() => read(undefined), pollMs);
    return () => clearTimeout(timer);
  }, [isBuilding, isReading, read]);
  const todo = planned ? planned.counts.create + planned.counts.change : 0;
  const error = plan.error ?? restore.error;
  return (
    <Dialog
      open
      onClose={onClose}
      title="Restore the configuration"
      actions={
        <>
          <Button onClick={onClose}>Close</Button>
          <Button
            variant="primary"
            busy={restore.isPending}
            disabledReason={planned ? (todo > 0 ? undefined : 'There is nothing to write.') : 'The plan is being made.'}
            onClick={() => restore.mutate(undefined, { onSuccess: () => read(undefined) })}
          >
            Write to {backup.projectName ?? 'the database'}
          </Button>
        </>
      }
    >
      <div className="stack">
        <p className="secondary">Nothing is deleted, and no protection is switched off. Google builds indexes after this.</p>
        {error && <ErrorNotice error={error} />}
        {planned?.complete && <Notice tone="good" title="Everything is as in the backup" />}
        {failed.length > 0 && (
          <Notice tone="bad" title="Not everything was written">
            <ul>
              {failed.map((step) => (
                <li key={`${step.kind} ${step.name}`}>
                  {step.name}: {stepRemark(step)}
                </li>
              ))}
            </ul>
          </Notice>
        )}
        {planned ? <Steps plan={planned} /> : <SkeletonText lines={4} />}
      </div>
    </Dialog>
  );
};

const pollMs = 2_000;

type Step = ConfigurationRestore['steps'][number];

/** What is written comes first. */
const equalLast = (a: Step, b: Step): number => Number(a.action === 'equal') - Number(b.action === 'equal');

const Steps = ({ plan: { steps, unknown } }: { readonly plan: ConfigurationRestore }) => (
  <>
    {unknown.map(({ part, side, reason }) => (
      <Notice key={part} tone="warn" title={`${partWords[part]}: left out`}>
        The {side === 'backup' ? 'backup does not hold' : 'live database does not show'} them. {sentence(reason)}
      </Notice>
    ))}
    <ul className="stack stack--medium" aria-label="Plan">
      {steps.toSorted(equalLast).map((step) => (
        <li key={`${step.kind} ${step.name}`}>
          <Badge tone={actionWords[step.action][1]}>{actionWords[step.action][0]}</Badge>{' '}
          <span className="wrap-anywhere">{step.kind === 'setting' ? (settingWords[step.name] ?? step.name) : step.name}</span>{' '}
          <span className="small muted">{[kindWords[step.kind], stepRemark(step)].filter(Boolean).join(' · ')}</span>
        </li>
      ))}
    </ul>
  </>
);
