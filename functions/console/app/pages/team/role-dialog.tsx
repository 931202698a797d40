import { useState } from 'react';
import { invitableRoles } from '../../../../../shared/contract/access.ts';
import { type Member, roleMeanings, useChangeRole } from '../../data/team.ts';
import { RoleChoice } from '../../parts/role-choice.tsx';
import { FormDialog } from '../../ui/overlay/form-dialog.tsx';

interface RoleDialogProps {
  readonly member: Member;
  readonly onClose: () => void;
}

export const RoleDialog = ({ member, onClose }: RoleDialogProps) => {
  const change = useChangeRole();
  const [role, setRole] = useState(invitableRoles.find((one) => one === member.role) ?? 'member');
  return (
    <FormDialog
      title="Change role"
      description={`${member.name || member.email} is ${member.role} now. ${roleMeanings[member.role]}`}
      change={change}
      action="Change role"
      reason={role === member.role ? 'Choose another role first' : undefined}
      onSubmit={() => change.mutate({ userId: member.userId, role }, { onSuccess: onClose })}
      onClose={onClose}
    >
      <RoleChoice value={role} onChange={setRole} />
    </FormDialog>
  );
};
