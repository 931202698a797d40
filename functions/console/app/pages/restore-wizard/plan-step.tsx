import { type ReactNode, useMemo } from 'react';
import { ApiFailure } from '../../../../../shared/client/index.ts';
import { usePermission } from '../../api/permission.ts';
import { readConfirmed } from '../../data/confirmed-deletions.ts';
import { type Planning, useRestorePlan } from '../../data/restores.ts';
import { ConfirmRestore } from '../../parts/confirm-restore.tsx';
import { DivergedNotice, PartialNotice } from '../../parts/missing-names.tsx';
import { IdleNotice, isIdle, PlanView } from '../../parts/plan-view.tsx';
import { ErrorNotice } from '../../ui/data/error-notice.tsx';
import { Notice } from '../../ui/data/notice.tsx';
import { Progress } from '../../ui/data/progress.tsx';
import { Time } from '../../ui/data/time.tsx';
import { Button } from '../../ui/form/button.tsx';
import { bodyOf } from './choice.ts';
import { findInvalid } from './mask/find-invalid.ts';
import { findUnmatched } from './mask/find-unmatched.ts';
import { InvalidRules } from './mask/invalid-rules.tsx';
import { MaskPreview } from './mask/mask-preview.tsx';
import { UnmatchedRules } from './mask/unmatched-rules.tsx';
import { PartialChoice } from './partial-choice.tsx';
import { PlanSummary } from './plan-summary.tsx';
import type { Source } from './use-source.ts';
import type { Wizard } from './wizard-state.ts';

interface PlanStepProps {
  readonly wizard: Wizard;
  readonly source: Source;
  readonly back: ReactNode;
}

export const PlanStep = ({ wizard, source, back }: PlanStepProps) => {
  const { choice, choose, goTo } = wizard;
  const { target } = source;
  const body = useMemo(() => bodyOf(choice), [choice]);
  const { reason } = usePermission('member');
  const planning = useRestorePlan(target && !reason ? body : undefined);
  const { plan, error, replan } = planning;
  const confirmed = useMemo(() => readConfirmed(choice.changedFrom), [choice.changedFrom]);
  if (isPartialRefusal(error))
    return <PartialChoice refusal={error} onContinue={() => choose({ allowPartial: true })} onBack={() => goTo('source')} />;
  const unmatched = findUnmatched(error, choice.rules);
  const invalid = findInvalid(error, choice.rules);
  if (!target || reason || error || !plan)
    return (
      <>
        {reason ? (
          <Notice title="A plan needs the same role as a restore">It reads the target, which is billed. {reason}</Notice>
        ) : !target ? (
          <Notice tone="bad" title="The target is no longer connected">
            Choose another one.
          </Notice>
        ) : unmatched ? (
          <UnmatchedRules unmatched={unmatched} onBack={() => goTo('mask')} />
        ) : invalid ? (
          <InvalidRules problems={invalid} onBack={() => goTo('mask')} />
        ) : error ? (
          <ErrorNotice error={error} title="The plan could not be made" onRetry={replan} />
        ) : (
          <PlanProgress planning={planning} />
        )}
        <div className="wizard__actions">{back}</div>
      </>
    );
  return (
    <>
      {choice.changedFrom !== undefined && (
        <Notice tone="warn" title="This is a new plan">
          The target changed after you confirmed the plan before, so nothing was written. Check this one and confirm it again.
        </Notice>
      )}
      <PlanSummary choice={choice} source={source} target={target} />
      {plan.partial && <PartialNotice partial={plan.partial} />}
      {plan.diverged && <DivergedNotice diverged={plan.diverged} />}
      {isIdle(plan) && <IdleNotice targetName={target.name} />}
      <MaskPreview plan={plan} />
      <PlanView plan={plan} mode={choice.mode} targetName={target.name} confirmed={confirmed} />
      <div className="row small muted">
        <span>
          Compared with the target <Time at={new Date(planning.plannedAt).toISOString()} relative />
        </span>
        <Button size="small" variant="quiet" icon="refresh" onClick={replan}>
          Plan again
        </Button>
      </div>
      {isIdle(plan) ? (
        <div className="wizard__actions">{back}</div>
      ) : (
        <>
          {!choice.safetyBackup && (
            <Notice tone="bad" title="This restore cannot be undone">
              You chose not to save what it replaces or deletes.
            </Notice>
          )}
          <ConfirmRestore body={body} plan={plan} targetName={target.name} safetyBackup={choice.safetyBackup} back={back} />
        </>
      )}
    </>
  );
};

const PlanProgress = ({ planning: { job } }: { readonly planning: Planning }) => (
  <div className="stack" role="status">
    <p>
      {job
        ? 'The target is large: a job compares it with the backup. Nothing is written.'
        : 'Comparing the backup with the target. Nothing is written.'}
    </p>
    <Progress label="Making the plan" percent={job?.progress.percent || undefined} />
  </div>
);

/** 409: the moment is not proven complete, and the details say what is missing. */
const isPartialRefusal = (error: unknown): error is ApiFailure =>
  error instanceof ApiFailure &&
  error.code === 'CONFLICT' &&
  Array.isArray(error.details.collections) &&
  'reason' in error.details;
