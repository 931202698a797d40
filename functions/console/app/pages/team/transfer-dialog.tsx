import { useMembership } from '../../api/session.ts';
import { type Member, useChangeRole } from '../../data/team.ts';
import { ConfirmDialog } from '../../ui/overlay/confirm-dialog.tsx';

interface TransferDialogProps {
  readonly member: Member;
  readonly onClose: () => void;
}

export const TransferDialog = ({ member, onClose }: TransferDialogProps) => {
  const { name } = useMembership();
  const change = useChangeRole();
  return (
    <ConfirmDialog
      open
      onClose={onClose}
      title="Transfer ownership?"
      typed={name}
      action="Transfer ownership"
      mutation={change}
      onConfirm={() => change.mutate({ userId: member.userId, role: 'owner' }, { onSuccess: onClose })}
    >
      {member.name || member.email} becomes the owner of {name}, and you become an admin. Only the new owner can give ownership
      back or delete the organization.
    </ConfirmDialog>
  );
};
