import { useId } from 'react';
import { invitableRoles } from '../../../../shared/contract/access.ts';
import { roleMeanings } from '../data/team.ts';

export type InvitableRole = (typeof invitableRoles)[number];

interface RoleChoiceProps {
  readonly value: InvitableRole;
  readonly onChange: (role: InvitableRole) => void;
}

/** The roles with what each may do. Ownership is not among them, because it is transferred. */
export const RoleChoice = ({ value, onChange }: RoleChoiceProps) => {
  const name = useId();
  return (
    <fieldset className="stack stack--tight">
      <legend className="field__label">Role</legend>
      {invitableRoles.map((role) => (
        <label key={role} className="role-choice">
          <input type="radio" name={name} value={role} checked={role === value} onChange={() => onChange(role)} />
          <span>
            <strong className="role-name">{role}</strong>
            <span className="field__hint">{roleMeanings[role]}</span>
          </span>
        </label>
      ))}
    </fieldset>
  );
};
