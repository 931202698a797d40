/** The choices live in the address, so that reload, back and links to a step work. */
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useCallback, useMemo } from 'react';
import { addressOf, type Choice, readChoice, type Step } from './choice.ts';

export interface Wizard {
  readonly choice: Choice;
  /** Changes choices of the current step, without a new entry in the history. */
  readonly choose: (change: Partial<Choice>) => void;
  readonly goTo: (step: Step, change?: Partial<Choice>) => void;
}

export const useWizard = (): Wizard => {
  const search = useSearch({ strict: false }) as Record<string, unknown>;
  const navigate = useNavigate();
  const choice = useMemo(() => readChoice(search), [search]);
  const choose = useCallback(
    (change: Partial<Choice>) => void navigate({ to: addressOf({ ...choice, ...change }), replace: true, resetScroll: false }),
    [choice, navigate],
  );
  const goTo = useCallback(
    (step: Step, change: Partial<Choice> = {}) => void navigate({ to: addressOf({ ...choice, ...change, step }) }),
    [choice, navigate],
  );
  return { choice, choose, goTo };
};
