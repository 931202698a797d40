import { useState } from 'react';
import { type Invitation, useCancelInvitation, useResendInvitation } from '../../data/team.ts';
import { Email } from '../../ui/data/email.tsx';
import { type Column, Table } from '../../ui/data/table.tsx';
import { Time } from '../../ui/data/time.tsx';
import { Button } from '../../ui/form/button.tsx';
import { ConfirmDialog } from '../../ui/overlay/confirm-dialog.tsx';

export const InvitationTable = ({ invitations }: { readonly invitations: readonly Invitation[] | undefined }) => {
  const resend = useResendInvitation();
  const cancel = useCancelInvitation();
  const [cancelling, setCancelling] = useState<Invitation>();
  const columns: readonly Column<Invitation>[] = [
    {
      key: 'email',
      label: 'E-mail',
      isTitle: true,
      cell: ({ email }) => (
        <span className="wrap-anywhere">
          <Email text={email} />
        </span>
      ),
    },
    { key: 'role', label: 'Role', cell: ({ role }) => <span className="role-name">{role}</span> },
    {
      key: 'by',
      label: 'Invited by',
      cell: ({ invitedBy }) => (
        <span className="table__name">
          <Email text={invitedBy.email} />
        </span>
      ),
    },
    { key: 'ends', label: 'Ends', cell: ({ expiresAt }) => <Time at={expiresAt} relative /> },
    {
      key: 'actions',
      label: 'Actions',
      isActions: true,
      cell: (invitation) => (
        <>
          <Button
            size="small"
            variant="quiet"
            busy={resend.isPending && resend.variables === invitation.id}
            onClick={() => resend.mutate(invitation.id)}
          >
            Send again
          </Button>
          <Button size="small" variant="quiet-danger" onClick={() => setCancelling(invitation)}>
            Withdraw…
          </Button>
        </>
      ),
    },
  ];
  return (
    <>
      <Table label="Pending invitations" columns={columns} rows={invitations} rowKey={({ id }) => id} />
      <ConfirmDialog
        open={cancelling !== undefined}
        onClose={() => setCancelling(undefined)}
        title="Withdraw this invitation?"
        action="Withdraw invitation"
        busy={cancel.isPending}
        onConfirm={() => cancelling && cancel.mutate(cancelling.id, { onSuccess: () => setCancelling(undefined) })}
      >
        The link that was sent to {cancelling?.email} stops working. You can invite them again.
      </ConfirmDialog>
    </>
  );
};
