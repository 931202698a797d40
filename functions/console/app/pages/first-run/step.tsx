import type { ReactNode } from 'react';
import { Icon } from '../../ui/icon.tsx';

interface StepProps {
  readonly number: number;
  readonly title: string;
  readonly description?: string;
  readonly state: 'done' | 'current' | 'later';
  /** What a finished step led to. */
  readonly result?: ReactNode;
  readonly children?: ReactNode;
}

export const Step = ({ number, title, description, state, result, children }: StepProps) => (
  <li className={`step step--${state}`} aria-current={state === 'current' ? 'step' : undefined}>
    <span className="step__mark" aria-hidden="true">
      {state === 'done' ? <Icon name="check" /> : number}
    </span>
    <div className="step__body">
      <div className="step__title">
        <h2>{title}</h2>
        {state === 'done' && <span className="visually-hidden">Done</span>}
        {result && <span className="muted wrap-anywhere">{result}</span>}
      </div>
      {description && state !== 'done' && <p className="secondary">{description}</p>}
      {state !== 'later' && children && <div className="step__content">{children}</div>}
    </div>
  </li>
);
