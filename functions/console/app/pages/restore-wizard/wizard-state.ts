/** The choices live in the address, so that reload, back and links to a step work. */
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useCallback, useMemo, useState } from 'react';
import { parseSearch } from '../../search-text.ts';
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
  const addressed = useMemo(() => readChoice(search), [search]);
  // The router is a moment behind. Meanwhile fields must not show what they had before, nor the next choice lose this one.
  const [ahead, setAhead] = useState<Choice>();
  const choice = ahead ?? addressed;
  const show = useCallback(
    (next: Choice, options: { readonly replace?: boolean; readonly resetScroll?: boolean }): void => {
      const to = addressOf(next);
      const shown = readChoice(parseSearch(to.split('?')[1] ?? ''));
      setAhead(shown);
      void navigate({ to, ...options }).finally(() => setAhead((current) => (current === shown ? undefined : current)));
    },
    [navigate],
  );
  const choose = useCallback(
    (change: Partial<Choice>) => show({ ...choice, ...change }, { replace: true, resetScroll: false }),
    [choice, show],
  );
  const goTo = useCallback(
    (step: Step, change: Partial<Choice> = {}) => show({ ...choice, ...change, step }, {}),
    [choice, show],
  );
  return { choice, choose, goTo };
};
