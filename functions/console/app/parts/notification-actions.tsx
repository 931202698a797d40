import type { UseMutationResult } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { usePermission } from '../api/permission.ts';
import { Button, IconButton } from '../ui/form/button.tsx';
import type { IconName } from '../ui/icon.tsx';
import { ConfirmDialog } from '../ui/overlay/confirm-dialog.tsx';
import { Menu, MenuItem, MenuSeparator } from '../ui/overlay/menu.tsx';

type DialogOf = (onClose: () => void) => ReactNode;

interface MoreAction {
  readonly icon: IconName;
  readonly label: string;
  /** Everybody may do it. */
  readonly isForAll?: boolean;
  readonly dialog: DialogOf;
}

interface NotificationActionsProps {
  readonly item: { readonly name: string; readonly enabled: boolean };
  /** As in “Delete alert”. */
  readonly what: string;
  readonly test: DialogOf;
  readonly edit: DialogOf;
  readonly more: readonly MoreAction[];
  readonly toggle: UseMutationResult<unknown, Error, boolean>;
  readonly remove: UseMutationResult<unknown, Error, void>;
  readonly listTo: string;
  /** What deleting does. */
  readonly consequence: ReactNode;
}

/** The actions of an alert or a webhook: test, disable or enable, edit, delete, and more of its own. */
export const NotificationActions = (props: NotificationActionsProps) => {
  const { item, what, test, edit, more, toggle, remove, listTo, consequence } = props;
  const { reason } = usePermission('admin');
  const navigate = useNavigate();
  const [open, setOpen] = useState<string>();
  const close = (): void => setOpen(undefined);
  const dialogs: Readonly<Record<string, DialogOf>> = {
    test,
    edit,
    ...Object.fromEntries(more.map(({ label, dialog }) => [label, dialog])),
  };
  return (
    <>
      <Button disabledReason={reason} onClick={() => setOpen('test')}>
        Send a test…
      </Button>
      <Button disabledReason={reason} busy={toggle.isPending} onClick={() => toggle.mutate(!item.enabled)}>
        {item.enabled ? 'Disable' : 'Enable'}
      </Button>
      <Button disabledReason={reason} onClick={() => setOpen('edit')}>
        Edit…
      </Button>
      <Menu trigger={<IconButton icon="more" label="More actions" variant="secondary" />}>
        {more.map(({ icon, label, isForAll = false }) => (
          <MenuItem key={label} icon={icon} disabledReason={isForAll ? undefined : reason} onSelect={() => setOpen(label)}>
            {label}
          </MenuItem>
        ))}
        {more.length > 1 && <MenuSeparator />}
        <MenuItem icon="trash" danger disabledReason={reason} onSelect={() => setOpen('delete')}>
          Delete…
        </MenuItem>
      </Menu>
      {open !== undefined && dialogs[open]?.(close)}
      <ConfirmDialog
        open={open === 'delete'}
        onClose={close}
        title={`Delete this ${what}?`}
        typed={item.name}
        action={`Delete ${what}`}
        mutation={remove}
        onConfirm={() => remove.mutate(undefined, { onSuccess: () => void navigate({ to: listTo }) })}
      >
        {consequence}
      </ConfirmDialog>
    </>
  );
};
