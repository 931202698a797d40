import { createContext, type ReactNode, type RefObject, useContext, useEffect, useRef } from 'react';
import { StepMark } from '../../ui/step-mark.tsx';

interface StepProps {
  readonly number: number;
  readonly title: string;
  readonly description?: string;
  readonly state: 'done' | 'current' | 'later';
  /** What a finished step led to. */
  readonly result?: ReactNode;
  readonly children?: ReactNode;
}

/** The number of the step that was current last; undefined until the page is loaded. */
export const LastStep = createContext<RefObject<number | undefined>>({ current: undefined });

export const Step = ({ number, title, description, state, result, children }: StepProps) => {
  const heading = useRef<HTMLHeadingElement>(null);
  const last = useContext(LastStep);
  // The form of the step before is gone, and the focus with it; not on the first load.
  useEffect(() => {
    if (state !== 'current') return;
    const isNext = last.current !== undefined && last.current < number;
    if (isNext && document.activeElement === document.body) heading.current?.focus();
    last.current = number;
  }, [state, number, last]);
  return (
    <li className={`step step--${state}`} aria-current={state === 'current' ? 'step' : undefined}>
      <StepMark state={state} size="large">
        {number}
      </StepMark>
      <div className="stack stack--close">
        <div className="step__title">
          <h2 ref={heading} tabIndex={-1}>
            {title}
          </h2>
          {state === 'done' && <span className="visually-hidden">Done</span>}
          {result && <span className="muted wrap-anywhere">{result}</span>}
        </div>
        {description && state !== 'done' && <p className="secondary">{description}</p>}
        {state !== 'later' && children && <div className="step__content">{children}</div>}
      </div>
    </li>
  );
};
