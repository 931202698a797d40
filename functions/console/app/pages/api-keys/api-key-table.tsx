import { useState } from 'react';
import { grantorChange } from '../../../../../shared/client/index.ts';
import { type ApiKey, useDeleteApiKey } from '../../data/api-keys.ts';
import { useProjects } from '../../data/projects.ts';
import { Badge, Status } from '../../ui/data/badge.tsx';
import { Email } from '../../ui/data/email.tsx';
import { type Column, Table } from '../../ui/data/table.tsx';
import { Time } from '../../ui/data/time.tsx';
import { IconButton } from '../../ui/form/button.tsx';
import { ConfirmDialog } from '../../ui/overlay/confirm-dialog.tsx';
import { Menu, MenuItem, MenuSeparator } from '../../ui/overlay/menu.tsx';
import { ApiKeyForm } from './api-key-form.tsx';
import { keyProjectWords, permissionWords } from './api-key-words.ts';
import { RotateKeyDialog } from './rotate-key-dialog.tsx';

export const ApiKeyTable = ({ keys }: { readonly keys: readonly ApiKey[] | undefined }) => {
  const { items: projects } = useProjects();
  const names = new Map(projects?.map(({ id, name }) => [id, name]));
  const remove = useDeleteApiKey();
  const [chosen, setChosen] = useState<{ readonly action: 'edit' | 'rotate' | 'delete'; readonly key: ApiKey }>();
  const close = (): void => setChosen(undefined);
  const columns: readonly Column<ApiKey>[] = [
    {
      key: 'name',
      label: 'Key',
      isTitle: true,
      cell: ({ name, createdBy, grantedBy, allowedAddresses }) => (
        <div className="stack stack--close">
          <span className="wrap-anywhere">{name}</span>
          <span className="small secondary">
            by <Email text={createdBy.email ?? createdBy.id} />
            {grantedBy.id !== createdBy.id && (
              <>
                {' · granted by '}
                <Email text={grantedBy.email ?? grantedBy.id} />
              </>
            )}
            {allowedAddresses && ` · from ${allowedAddresses.join(', ')}`}
          </span>
          {grantorChange(grantedBy) && (
            <span>
              <Badge tone="warn">{grantorChange(grantedBy)}</Badge>
            </span>
          )}
        </div>
      ),
    },
    {
      key: 'access',
      label: 'Access',
      cell: ({ role, permissions }) => (
        <div className="stack stack--close">
          <span className="role-name">{role}</span>
          <span className="small secondary">{permissionWords(permissions)}</span>
        </div>
      ),
    },
    { key: 'projects', label: 'Projects', cell: (key) => <span className="wrap-anywhere">{keyProjectWords(key, names)}</span> },
    { key: 'used', label: 'Last used', cell: ({ lastUsedAt }) => <Time at={lastUsedAt} relative none="Never" /> },
    {
      key: 'expires',
      label: 'Expires',
      cell: ({ expiresAt, status, previousKeyExpiresAt }) => (
        <div className="stack stack--close">
          <span>
            <Time at={expiresAt} relative /> {status !== 'active' && <Status status={status} />}
          </span>
          {previousKeyExpiresAt && (
            <span className="small secondary">
              The old key until <Time at={previousKeyExpiresAt} />
            </span>
          )}
        </div>
      ),
    },
    {
      key: 'actions',
      label: 'Actions',
      isActions: true,
      cell: (key) => (
        <Menu trigger={<IconButton icon="more" label={`Actions for ${key.name}`} />}>
          <MenuItem icon="list" onSelect={() => setChosen({ action: 'edit', key })}>
            Edit…
          </MenuItem>
          <MenuItem icon="refresh" onSelect={() => setChosen({ action: 'rotate', key })}>
            Rotate…
          </MenuItem>
          <MenuSeparator />
          <MenuItem icon="trash" danger onSelect={() => setChosen({ action: 'delete', key })}>
            Delete…
          </MenuItem>
        </Menu>
      ),
    },
  ];
  return (
    <>
      <Table label="API keys" columns={columns} rows={keys} rowKey={({ id }) => id} />
      {chosen?.action === 'edit' && <ApiKeyForm apiKey={chosen.key} onClose={close} />}
      {chosen?.action === 'rotate' && <RotateKeyDialog apiKey={chosen.key} onClose={close} />}
      {chosen?.action === 'delete' && (
        <ConfirmDialog
          open
          onClose={close}
          title={`Delete the API key ${chosen.key.name}?`}
          action="Delete API key"
          mutation={remove}
          onConfirm={() => remove.mutate(chosen.key.id, { onSuccess: close })}
        >
          It stops working at once. Pipelines that use it fail until they have another one.
        </ConfirmDialog>
      )}
    </>
  );
};
