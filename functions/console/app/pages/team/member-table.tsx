import { useState } from 'react';
import { useMembership, useSession } from '../../api/session.ts';
import { type Member, useRemoveMember } from '../../data/team.ts';
import { deniedReason } from '../../format/denied-reason.ts';
import { Badge } from '../../ui/data/badge.tsx';
import { Email } from '../../ui/data/email.tsx';
import { type Column, Table } from '../../ui/data/table.tsx';
import { Time } from '../../ui/data/time.tsx';
import { IconButton } from '../../ui/form/button.tsx';
import { ConfirmDialog } from '../../ui/overlay/confirm-dialog.tsx';
import { Menu, MenuItem, MenuSeparator } from '../../ui/overlay/menu.tsx';
import { RoleDialog } from './role-dialog.tsx';
import { TransferDialog } from './transfer-dialog.tsx';

type Action = 'role' | 'transfer' | 'remove';

export const MemberTable = ({ members }: { readonly members: readonly Member[] | undefined }) => {
  const { id: ownId } = useSession();
  const { role: ownRole } = useMembership();
  const [chosen, setChosen] = useState<{ readonly action: Action; readonly member: Member }>();
  const remove = useRemoveMember();
  const close = (): void => setChosen(undefined);
  const ofOwner = ({ role }: Member): string | undefined =>
    role === 'owner' ? 'The owner must transfer ownership first.' : undefined;
  const columns: readonly Column<Member>[] = [
    {
      key: 'name',
      label: 'Member',
      isTitle: true,
      cell: ({ userId, name, email }) => (
        <span className="team__person">
          <span className="wrap-anywhere">
            <Email text={name || email} /> {userId === ownId && <Badge>You</Badge>}
          </span>
          <span className="small muted wrap-anywhere">
            <Email text={email} />
          </span>
        </span>
      ),
    },
    { key: 'role', label: 'Role', cell: ({ role }) => <span className="role-name">{role}</span> },
    { key: 'joined', label: 'Joined', cell: ({ joinedAt }) => <Time at={joinedAt} /> },
    { key: 'active', label: 'Last active', cell: ({ lastActiveAt }) => <Time at={lastActiveAt} relative /> },
    {
      key: 'actions',
      label: 'Actions',
      isActions: true,
      cell: (member) => (
        <Menu trigger={<IconButton icon="more" label={`Actions for ${member.email}`} />}>
          <MenuItem
            icon="users"
            disabledReason={ofOwner(member) ?? (member.userId === ownId ? 'Another admin changes your role.' : undefined)}
            onSelect={() => setChosen({ action: 'role', member })}
          >
            Change role…
          </MenuItem>
          <MenuItem
            icon="shield"
            disabledReason={deniedReason(ownRole, 'owner') ?? (member.userId === ownId ? 'You are the owner.' : undefined)}
            onSelect={() => setChosen({ action: 'transfer', member })}
          >
            Make owner…
          </MenuItem>
          <MenuSeparator />
          <MenuItem
            icon="trash"
            danger
            disabledReason={ofOwner(member) ?? (member.userId === ownId ? 'Leave the organization instead.' : undefined)}
            onSelect={() => setChosen({ action: 'remove', member })}
          >
            Remove…
          </MenuItem>
        </Menu>
      ),
    },
  ];
  return (
    <>
      <Table label="Members" columns={columns} rows={members} rowKey={({ userId }) => userId} />
      {chosen?.action === 'role' && <RoleDialog member={chosen.member} onClose={close} />}
      {chosen?.action === 'transfer' && <TransferDialog member={chosen.member} onClose={close} />}
      {chosen?.action === 'remove' && (
        <ConfirmDialog
          open
          onClose={close}
          title="Remove this member?"
          typed={chosen.member.email}
          action="Remove member"
          mutation={remove}
          onConfirm={() => remove.mutate(chosen.member.userId, { onSuccess: close })}
        >
          {chosen.member.name || chosen.member.email} loses access at once. Projects that they connected with their Google account
          can no longer be backed up until someone reconnects them, and an API key that they created stops working.
        </ConfirmDialog>
      )}
    </>
  );
};
