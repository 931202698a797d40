import { Icon } from '../../ui/icon.tsx';
import { Spinner } from '../../ui/spinner.tsx';

interface PhaseListProps<T extends string> {
  /** In order, without the one that means that the job has ended. */
  readonly phases: readonly T[];
  readonly words: Readonly<Record<T, string>>;
  readonly phase: T;
  readonly isRunning: boolean;
}

/** The phases of a job: those that are done, the current one, and those that follow. */
export const PhaseList = <T extends string>({ phases, words, phase, isRunning }: PhaseListProps<T>) => {
  const current = phases.indexOf(phase);
  return (
    <ol className="phases" aria-label="Phases">
      {phases.map((name, index) => {
        const state = index < current ? 'done' : index === current && isRunning ? 'current' : 'next';
        return (
          <li
            key={name}
            className={`row row--single phases__phase phases__phase--${state}`}
            aria-current={state === 'current' ? 'step' : undefined}
          >
            {state === 'done' ? (
              <Icon name="check" size={14} />
            ) : state === 'current' ? (
              <Spinner />
            ) : (
              <span className="phases__dot" />
            )}
            {words[name]}
          </li>
        );
      })}
    </ol>
  );
};
