import { type FormEvent, useId, useState } from 'react';
import { invitableRoles } from '../../../../../shared/contract/access.ts';
import { type Member, roleMeanings, useChangeRole } from '../../data/team.ts';
import { ErrorNotice } from '../../ui/data/error-notice.tsx';
import { Button } from '../../ui/form/button.tsx';
import { Dialog } from '../../ui/overlay/dialog.tsx';
import { RoleChoice } from './role-choice.tsx';

interface RoleDialogProps {
  readonly member: Member;
  readonly onClose: () => void;
}

export const RoleDialog = ({ member, onClose }: RoleDialogProps) => {
  const form = useId();
  const change = useChangeRole();
  const [role, setRole] = useState(invitableRoles.find((one) => one === member.role) ?? 'member');
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    change.mutate({ userId: member.userId, role }, { onSuccess: onClose });
  };
  return (
    <Dialog
      open
      onClose={onClose}
      title="Change role"
      description={`${member.name || member.email} is ${member.role} now. ${roleMeanings[member.role]}`}
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button
            variant="primary"
            type="submit"
            form={form}
            busy={change.isPending}
            disabledReason={role === member.role ? 'Choose another role first' : undefined}
          >
            Change role
          </Button>
        </>
      }
    >
      <form id={form} className="stack" onSubmit={submit}>
        <RoleChoice value={role} onChange={setRole} />
        {change.error && <ErrorNotice error={change.error} />}
      </form>
    </Dialog>
  );
};
