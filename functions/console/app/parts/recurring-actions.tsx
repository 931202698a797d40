import type { UseMutationResult } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { usePermission } from '../api/permission.ts';
import { Button, IconButton } from '../ui/form/button.tsx';
import { ButtonLink } from '../ui/form/button-link.tsx';
import { ConfirmDialog } from '../ui/overlay/confirm-dialog.tsx';
import { Menu, MenuItem } from '../ui/overlay/menu.tsx';

interface RecurringActionsProps {
  /** What runs: a schedule or a plan. */
  readonly item: { readonly name: string; readonly enabled: boolean };
  /** As in “Delete the schedule”. */
  readonly what: string;
  /** One button and a menu, as in a table. */
  readonly isSmall: boolean;
  readonly start: { readonly isPending: boolean; readonly run: () => void };
  readonly toggle: UseMutationResult<unknown, Error, boolean>;
  readonly remove: UseMutationResult<unknown, Error, void>;
  readonly editTo: string;
  readonly listTo: string;
  /** What deleting does, and what it leaves. */
  readonly consequence: ReactNode;
}

/** Run now, pause or resume, edit, delete. */
export const RecurringActions = (props: RecurringActionsProps) => {
  const { item, what, isSmall, start, toggle, remove, editTo, listTo, consequence } = props;
  const { name, enabled } = item;
  const [isDeleting, setDeleting] = useState(false);
  const { reason } = usePermission('member');
  const navigate = useNavigate();
  const word = enabled ? 'Pause' : 'Resume';
  const icon = enabled ? 'pause' : 'play';
  const switchOver = (): void => toggle.mutate(!enabled);
  return (
    <>
      <Button
        size={isSmall ? 'small' : 'medium'}
        icon="play"
        busy={start.isPending}
        disabledReason={reason}
        aria-label={isSmall ? `Run now: ${name}` : undefined}
        onClick={start.run}
      >
        Run now
      </Button>
      {isSmall ? (
        <Menu trigger={<IconButton icon="more" label={`More actions for ${name}`} size="small" />}>
          <MenuItem icon={icon} disabledReason={reason} onSelect={switchOver}>
            {word}
          </MenuItem>
          <MenuItem icon="calendar" disabledReason={reason} onSelect={() => void navigate({ to: editTo })}>
            Edit
          </MenuItem>
          <MenuItem icon="trash" danger disabledReason={reason} onSelect={() => setDeleting(true)}>
            Delete…
          </MenuItem>
        </Menu>
      ) : (
        <>
          <Button icon={icon} busy={toggle.isPending} disabledReason={reason} onClick={switchOver}>
            {word}
          </Button>
          <ButtonLink to={editTo} disabledReason={reason}>
            Edit
          </ButtonLink>
          <Button icon="trash" variant="quiet-danger" disabledReason={reason} onClick={() => setDeleting(true)}>
            Delete…
          </Button>
        </>
      )}
      <ConfirmDialog
        open={isDeleting}
        onClose={() => setDeleting(false)}
        title={`Delete ${name}?`}
        typed={name}
        action={`Delete the ${what}`}
        mutation={remove}
        onConfirm={() => remove.mutate(undefined, { onSuccess: () => void navigate({ to: listTo }) })}
      >
        {consequence}
      </ConfirmDialog>
    </>
  );
};
