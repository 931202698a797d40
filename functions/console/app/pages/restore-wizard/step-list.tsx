import { modeWords } from '../../data/restore-words.ts';
import { formatPlural } from '../../format/format-number.ts';
import { formatMoment } from '../../format/format-time.ts';
import { StepMark } from '../../ui/step-mark.tsx';
import { type Choice, type Step, stepsOf } from './choice.ts';
import type { Source } from './use-source.ts';
import type { Wizard } from './wizard-state.ts';

const labels: Readonly<Record<Step, string>> = {
  source: 'Source',
  scope: 'Scope',
  target: 'Target',
  mask: 'Mask data',
  mode: 'Mode',
  plan: 'Plan and confirm',
};

interface StepListProps {
  readonly wizard: Wizard;
  readonly step: Step;
  /** The first step that lacks a choice. */
  readonly missing: Step | undefined;
  readonly source: Source;
}

/** The steps with what was chosen; chosen ones can be visited again. */
export const StepList = ({ wizard: { choice, goTo }, step, missing, source }: StepListProps) => {
  const steps = stepsOf(choice);
  const current = steps.indexOf(step);
  const reachable = missing === undefined ? steps.length : steps.indexOf(missing);
  return (
    <nav aria-label="Steps of the restore" className="wizard__steps">
      <ol className="stack stack--close wizard__list">
        {steps.map((name, index) => {
          const isDone = index < current;
          const value = isDone ? chosenIn(name, choice, source) : undefined;
          const content = (
            <>
              <StepMark state={isDone ? 'done' : index === current ? 'current' : 'later'}>{index + 1}</StepMark>
              <span className="wizard__label">
                {labels[name]}
                {value && <span className="small secondary wizard__value">{value}</span>}
              </span>
            </>
          );
          const className = `wizard__link${index === current ? ' wizard__link--current' : isDone ? ' wizard__link--done' : ''}`;
          return (
            <li key={name}>
              {index === current || index > reachable ? (
                <span className={className} aria-current={index === current ? 'step' : undefined}>
                  {content}
                </span>
              ) : (
                <button type="button" className={className} onClick={() => goTo(name)}>
                  {content}
                </button>
              )}
            </li>
          );
        })}
      </ol>
    </nav>
  );
};

const chosenIn = (step: Step, choice: Choice, source: Source): string | undefined => {
  if (step === 'source') {
    const at = choice.backupId === undefined ? choice.at : (source.backup?.readTime ?? source.backup?.createdAt);
    return source.isLoading || at === undefined || Number.isNaN(Date.parse(at))
      ? undefined
      : `${source.projectName}, ${formatMoment(new Date(at))}`;
  }
  if (step === 'scope') {
    if (choice.scope === 'all') return 'Everything';
    const [names, one] =
      choice.scope === 'collections' ? [choice.collections, 'collection'] : ([choice.documents, 'document'] as const);
    return names.length === 1 ? names[0] : formatPlural(names.length, one as string);
  }
  if (step === 'target') return source.target?.name;
  if (step === 'mask') return choice.rules.length === 0 ? 'As it is' : formatPlural(choice.rules.length, 'rule');
  if (step === 'mode') return modeWords[choice.mode].name;
  return undefined;
};
