import type { Role } from '../../../../shared/contract/access.ts';
import { deniedReason } from '../format/denied-reason.ts';
import { useMembership } from './session.ts';

interface Permission {
  readonly isAllowed: boolean;
  /** For `disabledReason` of a button; undefined if it is allowed. */
  readonly reason: string | undefined;
}

/** Whether the person has at least the role. What is not allowed is shown disabled with the reason; the API enforces it. */
export const usePermission = (role: Role): Permission => {
  const { role: own } = useMembership();
  const reason = deniedReason(own, role);
  return { isAllowed: reason === undefined, reason };
};
