import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { mustTypeName } from '../../../../../shared/client/index.ts';
import { deletionCount, readConfirmed, rememberConfirmed } from '../../data/confirmed-deletions.ts';
import { type Restore, useUndoPlan, useUndoRestore } from '../../data/restores.ts';
import { formatPlural } from '../../format/format-number.ts';
import { IdleNotice, isIdle, PlanView } from '../../parts/plan-view.tsx';
import { paths } from '../../paths.ts';
import { ErrorNotice } from '../../ui/data/error-notice.tsx';
import { Progress } from '../../ui/data/progress.tsx';
import { Button } from '../../ui/form/button.tsx';
import { Input } from '../../ui/form/field.tsx';
import { Dialog } from '../../ui/overlay/dialog.tsx';

interface UndoDialogProps {
  readonly restore: Restore;
  readonly opened: number;
  /** An undo that has stopped, because its plan was out of date. */
  readonly changedFrom: string | undefined;
  readonly onClose: () => void;
}

/** Plans the undo against the target as it is now, and starts exactly that plan once the name is typed, if it is not small. */
export const UndoDialog = ({ restore, opened, changedFrom, onClose }: UndoDialogProps) => {
  const { restoreJobId, targetProjectName: name } = restore;
  const navigate = useNavigate();
  const { plan, job, error, replan } = useUndoPlan(restoreJobId, opened);
  const undo = useUndoRestore(restoreJobId);
  const [text, setText] = useState('');
  // An undo saves what it replaces, so it can be undone, too.
  const mustType = plan !== undefined && mustTypeName(plan, { safetyBackup: true });
  const blocker = plan
    ? isIdle(plan)
      ? 'There is nothing to undo'
      : !mustType || text === name
        ? undefined
        : `Type ${name} first`
    : 'The plan is not ready yet';
  const deleted = plan ? deletionCount(plan) : 0;
  const run = (): void => {
    if (!plan || blocker !== undefined || undo.isPending) return;
    const onSuccess = (begun: Restore): void => {
      rememberConfirmed(begun.restoreJobId, plan);
      void navigate({ to: paths.restore(begun.restoreJobId) });
    };
    undo.mutate(plan, { onSuccess });
  };
  return (
    <Dialog
      open
      onClose={onClose}
      wide
      title="Undo this restore"
      description="The documents that it changed return to their earlier state, even if your application has written to them since. What the undo replaces is saved, so it can be undone, too."
      actions={
        <>
          <Button onClick={onClose}>Close</Button>
          <Button variant="danger" busy={undo.isPending} disabledReason={blocker} onClick={run}>
            {deleted > 0 ? `Undo and delete ${formatPlural(deleted, 'document')}` : 'Undo the restore'}
          </Button>
        </>
      }
    >
      <form
        className="stack"
        onSubmit={(event) => {
          event.preventDefault();
          run();
        }}
      >
        {error ? <ErrorNotice error={error} title="The undo could not be planned" onRetry={replan} /> : null}
        {!plan && !error && (
          <div className="stack" role="status">
            <p className="secondary">Comparing the safety backup with {name}. Nothing is written.</p>
            <Progress label="Planning the undo" percent={job?.progress.percent || undefined} />
          </div>
        )}
        {plan && isIdle(plan) && <IdleNotice targetName={name} />}
        {plan && <PlanView plan={plan} mode="rollback" targetName={name} confirmed={readConfirmed(changedFrom)} />}
        {plan && !isIdle(plan) && mustType && (
          <Input
            label={
              <>
                Type <strong className="wrap-anywhere">{name}</strong> to confirm
              </>
            }
            value={text}
            spellCheck={false}
            autoCapitalize="off"
            onChange={({ target }) => setText(target.value)}
          />
        )}
        {undo.error && <ErrorNotice error={undo.error} title="The undo was not started" />}
      </form>
    </Dialog>
  );
};
