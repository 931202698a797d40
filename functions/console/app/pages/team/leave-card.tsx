import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useMembership } from '../../api/session.ts';
import { useLeave } from '../../data/team.ts';
import { paths } from '../../paths.ts';
import { Card } from '../../ui/data/card.tsx';
import { Button } from '../../ui/form/button.tsx';
import { ConfirmDialog } from '../../ui/overlay/confirm-dialog.tsx';

export const LeaveCard = () => {
  const { name, role } = useMembership();
  const leave = useLeave();
  const navigate = useNavigate();
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Card
        title="Leave this organization"
        description="You lose access at once. Projects that you connected with your Google account must be reconnected by someone else."
        actions={
          <Button
            variant="quiet-danger"
            disabledReason={role === 'owner' ? 'Make another member the owner first.' : undefined}
            onClick={() => setOpen(true)}
          >
            Leave…
          </Button>
        }
      />
      <ConfirmDialog
        open={isOpen}
        onClose={() => setOpen(false)}
        title={`Leave ${name}?`}
        typed={name}
        action="Leave"
        mutation={leave}
        onConfirm={() => leave.mutate(undefined, { onSuccess: () => void navigate({ to: paths.overview }) })}
      >
        You lose access to its projects and backups at once. An admin can invite you again.
      </ConfirmDialog>
    </>
  );
};
