import { useState } from 'react';
import { usePermission } from '../../api/permission.ts';
import { useSession } from '../../api/session.ts';
import { type IncidentDetails, useAcknowledgeIncident, useUpdateIncident } from '../../data/incidents.ts';
import { useMembers } from '../../data/team.ts';
import { Button } from '../../ui/form/button.tsx';
import { ButtonLink } from '../../ui/form/button-link.tsx';
import { Input, Select } from '../../ui/form/field.tsx';
import { FormDialog } from '../../ui/overlay/form-dialog.tsx';
import { Menu, MenuItem } from '../../ui/overlay/menu.tsx';
import { causeWords } from './incident-words.ts';

const mutes: readonly (readonly [label: string, hours: number])[] = [
  ['For 1 hour', 1],
  ['For 4 hours', 4],
  ['For 24 hours', 24],
  ['For 7 days', 7 * 24],
];

interface IncidentProps {
  readonly incident: IncidentDetails;
}

/** What failed, and what a member does about it while it is open. */
export const IncidentActions = ({ incident }: IncidentProps) => {
  const { id, status, page, acknowledgement, mutedUntil } = incident;
  const { reason } = usePermission('member');
  const mute = useUpdateIncident(id, 'The incident is muted. It stays open');
  const unmute = useUpdateIncident(id, 'Messages about the incident are sent again');
  const [open, setOpen] = useState<'acknowledge' | 'assign'>();
  const close = (): void => setOpen(undefined);
  const cause = <ButtonLink to={page}>{causeWords(incident)}</ButtonLink>;
  if (status !== 'open') return cause;
  const muteFor = (hours: number): void => mute.mutate({ mutedUntil: new Date(Date.now() + hours * 3_600_000).toISOString() });
  return (
    <>
      {cause}
      {mutedUntil === null ? (
        <Menu
          trigger={
            <Button busy={mute.isPending} disabledReason={reason}>
              Mute…
            </Button>
          }
        >
          {mutes.map(([label, hours]) => (
            <MenuItem key={label} onSelect={() => muteFor(hours)}>
              {label}
            </MenuItem>
          ))}
        </Menu>
      ) : (
        <Button disabledReason={reason} busy={unmute.isPending} onClick={() => unmute.mutate({ mutedUntil: null })}>
          Unmute
        </Button>
      )}
      <Button disabledReason={reason} onClick={() => setOpen('assign')}>
        Assign…
      </Button>
      <Button
        variant={acknowledgement ? 'secondary' : 'primary'}
        icon="check"
        disabledReason={reason}
        onClick={() => setOpen('acknowledge')}
      >
        {acknowledgement ? 'Acknowledge again…' : 'Acknowledge…'}
      </Button>
      {open === 'acknowledge' && <AcknowledgeDialog incident={incident} onClose={close} />}
      {open === 'assign' && <AssignDialog incident={incident} onClose={close} />}
    </>
  );
};

interface DialogProps extends IncidentProps {
  readonly onClose: () => void;
}

interface AcknowledgeProps {
  readonly incident: { readonly id: string };
  readonly onClose: () => void;
}

export const AcknowledgeDialog = ({ incident: { id }, onClose }: AcknowledgeProps) => {
  const acknowledge = useAcknowledgeIncident(id);
  const [note, setNote] = useState('');
  return (
    <FormDialog
      title="Acknowledge this incident"
      description="Everyone sees that you have taken notice, and every further message says so. It stays open until it recovers."
      change={acknowledge}
      onSubmit={() => acknowledge.mutate(note.trim(), { onSuccess: onClose })}
      action="Acknowledge"
      onClose={onClose}
    >
      <Input label="Note" optional value={note} maxLength={1000} onChange={({ target }) => setNote(target.value)} />
    </FormDialog>
  );
};

/** Only admins may list the members; others can take the incident themselves. */
const AssignDialog = ({ incident: { id, assignee }, onClose }: DialogProps) => {
  const assign = useUpdateIncident(id, 'The assignee was changed', false);
  const { isAllowed: mayList } = usePermission('admin');
  const { items = [] } = useMembers(mayList);
  const { id: ownId, email } = useSession();
  const [userId, setUserId] = useState(assignee?.id ?? ownId);
  const others = new Map(items.filter((one) => one.userId !== ownId).map((one) => [one.userId, one.email]));
  if (assignee && assignee.id !== ownId) others.set(assignee.id, assignee.email);
  return (
    <FormDialog
      title="Assign this incident"
      description={mayList ? 'To the member who takes care of it.' : 'To yourself. Admins can assign it to any member.'}
      change={assign}
      onSubmit={() => assign.mutate({ assigneeId: userId === '' ? null : userId }, { onSuccess: onClose })}
      action="Assign"
      onClose={onClose}
    >
      <Select label="Assigned to" value={userId} onChange={({ target }) => setUserId(target.value)}>
        <option value={ownId}>Me ({email})</option>
        {[...others].map(([value, address]) => (
          <option key={value} value={value}>
            {address}
          </option>
        ))}
        <option value="">No one</option>
      </Select>
    </FormDialog>
  );
};
