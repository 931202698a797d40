import { useNavigate } from '@tanstack/react-router';
import {
  type RestoreTest,
  useDeleteRestoreTest,
  useRunRestoreTest,
  useSwitchRestoreTest,
} from '../../data/restore-test/restore-tests.ts';
import { RecurringActions } from '../../parts/recurring-actions.tsx';
import { paths } from '../../paths.ts';

interface PlanActionsProps {
  readonly plan: RestoreTest;
  readonly isSmall?: boolean;
}

export const PlanActions = ({ plan, isSmall = false }: PlanActionsProps) => {
  const { id } = plan;
  const start = useRunRestoreTest(plan);
  const navigate = useNavigate();
  const run = (): void =>
    start.mutate(undefined, {
      onSuccess: ({ runs, runId }) =>
        void navigate({ to: runs.length === 1 ? paths.restoreTestRun(runId) : paths.restoreTest(id) }),
    });
  return (
    <RecurringActions
      item={plan}
      what="restore test"
      isSmall={isSmall}
      start={{ isPending: start.isPending, run }}
      toggle={useSwitchRestoreTest(plan)}
      remove={useDeleteRestoreTest(plan)}
      editTo={paths.restoreTest(id, 'edit')}
      listTo={paths.restoreTests}
      consequence={
        <p>
          It runs no more, and runs in progress are cancelled. Finished runs and their evidence are kept. To stop it for a while,
          pause it instead.
        </p>
      }
    />
  );
};
