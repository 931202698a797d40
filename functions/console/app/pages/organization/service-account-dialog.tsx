import { type FormEvent, useId, useState } from 'react';
import { type Scope, scopes } from '../../../../../shared/contract/access.ts';
import { useDraft } from '../../api/use-draft.ts';
import { type ServiceAccount, useCreateServiceAccount, useUpdateServiceAccount } from '../../data/service-account.ts';
import { fieldError } from '../../format/describe-failure.ts';
import { ErrorNotice } from '../../ui/data/error-notice.tsx';
import { Button } from '../../ui/form/button.tsx';
import { changesOf } from '../../ui/form/changes-of.ts';
import { Checkbox, Input } from '../../ui/form/field.tsx';
import { Dialog } from '../../ui/overlay/dialog.tsx';
import { ApiKeyNotice } from './api-key-notice.tsx';

interface ServiceAccountDialogProps {
  /** Null: create one. */
  readonly account: ServiceAccount | null;
  readonly onClose: () => void;
}

const resources = [...new Set(scopes.map((scope) => scope.split(':')[0] as string))];
const initialScopes: readonly Scope[] = scopes.filter((scope) => scope.endsWith(':read'));

interface Draft {
  readonly name: string;
  readonly permissions: readonly Scope[];
}

export const ServiceAccountDialog = ({ account, onClose }: ServiceAccountDialogProps) => {
  const form = useId();
  const [opened] = useState(account);
  const create = useCreateServiceAccount();
  const update = useUpdateServiceAccount();
  const initial: Draft = { name: account?.name ?? '', permissions: account?.permissions ?? initialScopes };
  const [{ name, permissions }, change, forget] = useDraft('serviceAccount', initial, { recordId: account?.id });
  const error = create.error ?? update.error;
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    const body = { name, permissions: [...permissions] };
    if (!opened) {
      create.mutate(body, { onSuccess: forget });
      return;
    }
    // What was not changed is not sent: another person may have withdrawn a permission meanwhile.
    const shown = { name: opened.name, permissions: [...opened.permissions] };
    const changes = changesOf(shown, body);
    if (Object.keys(changes).length === 0) onClose();
    else update.mutate(changes, { onSuccess: onClose });
  };
  const cancel = (): void => {
    forget();
    onClose();
  };
  const toggle = (scope: Scope, isGiven: boolean): void =>
    change({ permissions: scopes.filter((one) => (one === scope ? isGiven : permissions.includes(one))) });
  if (create.data)
    return (
      <Dialog
        open
        stays
        onClose={onClose}
        title="The service account is ready"
        actions={
          <Button variant="primary" onClick={onClose}>
            Done
          </Button>
        }
      >
        <ApiKeyNotice apiKey={create.data.apiKey} />
      </Dialog>
    );
  return (
    <Dialog
      open
      stays={create.isPending}
      onClose={onClose}
      title={account ? 'Edit the service account' : 'Create a service account'}
      actions={
        <>
          <Button onClick={cancel} disabledReason={create.isPending ? 'The key is being created' : undefined}>
            Cancel
          </Button>
          <Button
            variant="primary"
            type="submit"
            form={form}
            busy={create.isPending || update.isPending}
            disabledReason={permissions.length === 0 ? 'Give at least one permission' : undefined}
          >
            {account ? 'Save' : 'Create'}
          </Button>
        </>
      }
    >
      <form id={form} className="stack" onSubmit={submit}>
        <Input
          label="Name"
          required
          value={name}
          placeholder="Deploy pipeline"
          onChange={({ target }) => change({ name: target.value })}
          error={fieldError(error, 'name')}
        />
        <fieldset className="organization__scopes">
          <legend className="field__label">Permissions</legend>
          {resources.map((resource) => (
            <div key={resource} className="organization__scope">
              <span>
                <span className="organization__resource">{resource}</span>
                {resource === 'erasures' && <span className="field__hint"> cannot be undone; not part of projects</span>}
              </span>
              {scopes
                .filter((scope) => scope.startsWith(`${resource}:`))
                .map((scope) => (
                  <Checkbox
                    key={scope}
                    label={scope.endsWith(':read') ? 'Read' : 'Write'}
                    aria-label={scope}
                    checked={permissions.includes(scope)}
                    onChange={({ target }) => toggle(scope, target.checked)}
                  />
                ))}
            </div>
          ))}
        </fieldset>
        {error && <ErrorNotice error={error} shownFields={['name']} />}
      </form>
    </Dialog>
  );
};
