import { useEffect, useRef } from 'react';
import { usePermission } from '../../api/permission.ts';
import { paths } from '../../paths.ts';
import { Card } from '../../ui/data/card.tsx';
import { ErrorNotice } from '../../ui/data/error-notice.tsx';
import { Notice } from '../../ui/data/notice.tsx';
import { SkeletonText } from '../../ui/data/skeleton.tsx';
import { Button } from '../../ui/form/button.tsx';
import { PageHeader } from '../../ui/layout/page-header.tsx';
import { type Choice, missingStep, type Step, stepsOf } from './choice.ts';
import { MaskStep } from './mask-step.tsx';
import { ModeStep } from './mode-step.tsx';
import { PlanStep } from './plan-step.tsx';
import { ScopeStep } from './scope-step.tsx';
import { SourceStep } from './source-step.tsx';
import { StepList } from './step-list.tsx';
import { TargetStep } from './target-step.tsx';
import { UnusualNotice } from './unusual-notice.tsx';
import { type Source, useSource } from './use-source.ts';
import { useWizard } from './wizard-state.ts';

const titles: Readonly<Record<Step, string>> = {
  source: 'What do you want to restore from?',
  scope: 'What do you want to restore?',
  target: 'Where should it go?',
  mask: 'Should the copy hide personal data?',
  mode: 'What should happen to documents that exist?',
  plan: 'Check the plan, then confirm',
};

export const RestoreWizardPage = () => {
  const wizard = useWizard();
  const { choice, choose, goTo } = wizard;
  const source = useSource(choice);
  const { reason } = usePermission('member');
  const steps = stepsOf(choice);
  const missing = source.window === null ? 'source' : missingStep(choice);
  // An address may ask for a step that lacks the choices before it.
  const isReady = missing === undefined || steps.indexOf(choice.step) <= steps.indexOf(missing);
  const step = isReady ? choice.step : missing;
  const next = steps[steps.indexOf(step) + 1];
  const previous = steps[steps.indexOf(step) - 1];
  const back = previous && <Button onClick={() => goTo(previous)}>Back</Button>;
  const blocker = blockerOf(step, missing, { source, choice });
  const heading = useFocusOnChange(step);
  useOneStepPerClick(step);
  const isLoading = step !== 'source' && source.isLoading;
  return (
    <>
      <PageHeader
        title="New restore"
        crumbs={[{ label: 'Restores', to: paths.restores }]}
        description="Nothing is written until you have seen the plan and confirmed it."
      />
      {reason && (
        <div className="wizard__role">
          <Notice tone="warn" title="You cannot start a restore">
            {reason} You can go through the steps; an admin or the owner of the organization can change your role.
          </Notice>
        </div>
      )}
      <div className="wizard">
        <StepList wizard={wizard} step={step} missing={missing} source={source} />
        <Card>
          <div className="stack wizard__step">
            <h2 ref={heading} tabIndex={-1} className="wizard__heading">
              {titles[step]}
            </h2>
            {source.backup && (
              <UnusualNotice
                backup={source.backup}
                onChange={(backupId) => {
                  // The scope stays: a single document shall not become everything.
                  choose({ backupId, users: undefined, allowPartial: false, changedFrom: undefined });
                  heading.current?.focus();
                }}
              />
            )}
            {source.error && step !== 'source' ? (
              <ErrorNotice error={source.error} title="The source could not be loaded" onRetry={source.reload} />
            ) : null}
            {isLoading && !source.error && <SkeletonText />}
            {step === 'source' && <SourceStep wizard={wizard} source={source} />}
            {!isLoading && step === 'scope' && <ScopeStep wizard={wizard} source={source} />}
            {!isLoading && step === 'target' && <TargetStep wizard={wizard} source={source} />}
            {!isLoading && step === 'mask' && <MaskStep wizard={wizard} source={source} />}
            {!isLoading && step === 'mode' && <ModeStep wizard={wizard} source={source} />}
            {!isLoading && step === 'plan' ? (
              <PlanStep wizard={wizard} source={source} back={back} />
            ) : source.projects?.length === 0 ? null : (
              <div className="wizard__actions">
                {back}
                {next && !isLoading && (
                  <Button variant="primary" disabledReason={blocker} onClick={() => goTo(next)}>
                    {next === 'plan' ? 'Make the plan' : 'Continue'}
                  </Button>
                )}
              </div>
            )}
          </div>
        </Card>
      </div>
    </>
  );
};

/** Why the step cannot be left yet. */
const blockerOf = (
  step: Step,
  missing: Step | undefined,
  { source, choice }: { readonly source: Source; readonly choice: Choice },
): string | undefined => {
  if (step === 'source' && source.window === null) return 'This point in time cannot be restored';
  if (missing === 'source' && step === 'source') return 'Choose a backup or a point in time first';
  if (missing === 'scope' && step === 'scope' && choice.typed !== '') return 'Add or clear the collection you typed first';
  if (missing === 'scope' && step === 'scope') return 'Name at least one collection or document first';
  if (missing === 'mask' && step === 'mask' && choice.areRulesLost) return 'Say first whether this copy is masked';
  if (missing === 'mask' && step === 'mask') return 'Fill in the collection and the field of every rule first';
  if (step === 'target' && !source.target) return 'Choose a connected project first';
  return undefined;
};

/** A new step is announced and read from its heading; not on the first load. */
const useFocusOnChange = (step: Step) => {
  const heading = useRef<HTMLHeadingElement>(null);
  const last = useRef(step);
  useEffect(() => {
    if (last.current !== step) heading.current?.focus();
    last.current = step;
  }, [step]);
  return heading;
};

/** The second click of a double click meets the buttons and choices of the next step, and must not press them. */
const useOneStepPerClick = (step: Step): void => {
  const began = useRef(step);
  useEffect(() => {
    const onClick = (event: MouseEvent): void => {
      if (event.detail <= 1) began.current = step;
      else if (began.current !== step) {
        event.preventDefault();
        event.stopPropagation();
      }
    };
    document.addEventListener('click', onClick, { capture: true });
    return () => document.removeEventListener('click', onClick, { capture: true });
  }, [step]);
};
