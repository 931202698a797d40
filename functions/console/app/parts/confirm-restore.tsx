import { useNavigate } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { mustTypeName } from '../../../../shared/client/index.ts';
import { usePermission } from '../api/permission.ts';
import { deletionCount, rememberConfirmed } from '../data/confirmed-deletions.ts';
import { type Plan, type RestoreBody, useStartRestore } from '../data/restores.ts';
import { formatPlural } from '../format/format-number.ts';
import { paths } from '../paths.ts';
import { ErrorNotice } from '../ui/data/error-notice.tsx';
import { Button } from '../ui/form/button.tsx';
import { Input } from '../ui/form/field.tsx';

interface ConfirmRestoreProps {
  readonly body: RestoreBody;
  readonly plan: Plan;
  readonly targetName: string;
  readonly safetyBackup: boolean;
  readonly back?: ReactNode;
  /** The words of the button; by default they say what is deleted. */
  readonly label?: string | undefined;
}

/** Starts exactly the plan above; unless it is small and can be undone, once the name of the target is typed. */
export const ConfirmRestore = ({ body, plan, targetName, safetyBackup, back, label }: ConfirmRestoreProps) => {
  const navigate = useNavigate();
  const { reason } = usePermission('member');
  const start = useStartRestore();
  const [text, setText] = useState('');
  const deleted = deletionCount(plan);
  const mustType = mustTypeName(plan, { safetyBackup });
  const blocker = reason ?? (!mustType || text === targetName ? undefined : `Type ${targetName} first`);
  const consequence = safetyBackup
    ? 'What changes is saved first. You can undo the restore for 7 days.'
    : 'There is no safety backup: this restore cannot be undone.';
  const run = (): void => {
    if (blocker !== undefined || start.isPending) return;
    const onSuccess = ({ restoreJobId }: { readonly restoreJobId: string }): void => {
      rememberConfirmed(restoreJobId, plan);
      void navigate({ to: paths.restore(restoreJobId) });
    };
    start.mutate({ body, plan }, { onSuccess });
  };
  return (
    <form
      className="confirm-restore"
      onSubmit={(event) => {
        event.preventDefault();
        run();
      }}
    >
      {mustType ? (
        <Input
          label={
            <>
              Type <strong className="wrap-anywhere">{targetName}</strong> to confirm
            </>
          }
          hint={consequence}
          value={text}
          spellCheck={false}
          autoCapitalize="off"
          onChange={({ target }) => setText(target.value)}
        />
      ) : (
        <p className="secondary">{consequence}</p>
      )}
      {start.error && <ErrorNotice error={start.error} title="The restore was not started" />}
      <div className="row">
        {back}
        <Button
          type="submit"
          variant={deleted > 0 || !safetyBackup ? 'danger' : 'primary'}
          busy={start.isPending}
          disabledReason={blocker}
        >
          {deleted > 0 ? `Restore and delete ${formatPlural(deleted, 'document')}` : (label ?? 'Restore')}
        </Button>
      </div>
    </form>
  );
};
