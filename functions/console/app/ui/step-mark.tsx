import type { ReactNode } from 'react';
import { Icon } from './icon.tsx';

interface StepMarkProps {
  readonly state: 'done' | 'current' | 'running' | 'later';
  readonly size?: 'small' | 'medium' | 'large';
  /** What a step shows that is not done, such as its number. */
  readonly children?: ReactNode;
}

const iconSizes = { small: 12, medium: 14, large: 16 };

export const StepMark = ({ state, size = 'medium', children }: StepMarkProps) => (
  <span className={`step-mark step-mark--${size} step-mark--${state}`} aria-hidden="true">
    {state === 'done' ? <Icon name="check" size={iconSizes[size]} /> : children}
  </span>
);
