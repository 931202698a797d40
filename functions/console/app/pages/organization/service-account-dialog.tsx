import { type Scope, scopes } from '../../../../../shared/contract/access.ts';
import { useRecordForm } from '../../api/use-record-form.ts';
import { type ServiceAccount, useCreateServiceAccount, useUpdateServiceAccount } from '../../data/service-account.ts';
import { Checkbox, Input } from '../../ui/form/field.tsx';
import { FormDialog } from '../../ui/overlay/form-dialog.tsx';
import { ApiKeyDialog } from './api-key-dialog.tsx';

interface ServiceAccountDialogProps {
  /** Null: create one. */
  readonly account: ServiceAccount | null;
  readonly onClose: () => void;
}

const resources = [...new Set(scopes.map((scope) => scope.split(':')[0] as string))];
const initialScopes: readonly Scope[] = scopes.filter((scope) => scope.endsWith(':read'));

const draftOf = (account: ServiceAccount | undefined) => ({
  name: account?.name ?? '',
  permissions: account?.permissions ?? initialScopes,
});

export const ServiceAccountDialog = ({ account, onClose }: ServiceAccountDialogProps) => {
  const create = useCreateServiceAccount();
  const { draft, change, errorOf, dialog } = useRecordForm({
    name: 'serviceAccount',
    record: account ?? undefined,
    draftOf,
    bodyOf: (body) => ({ ...body, permissions: [...body.permissions] }),
    create,
    update: useUpdateServiceAccount(),
    onClose,
  });
  const { name, permissions } = draft;
  const toggle = (scope: Scope, isGiven: boolean): void =>
    change({ permissions: scopes.filter((one) => (one === scope ? isGiven : permissions.includes(one))) });
  if (create.data) return <ApiKeyDialog title="The service account is ready" apiKey={create.data.apiKey} onClose={onClose} />;
  return (
    <FormDialog
      {...dialog}
      title={account ? 'Edit the service account' : 'Create a service account'}
      action={account ? 'Save' : 'Create'}
      creating={create.isPending ? 'The key is being created' : undefined}
      reason={permissions.length === 0 ? 'Give at least one permission' : undefined}
      shownFields={['name']}
    >
      <Input
        label="Name"
        required
        value={name}
        placeholder="Deploy pipeline"
        onChange={({ target }) => change({ name: target.value })}
        error={errorOf('name')}
      />
      <fieldset className="stack stack--tight">
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
    </FormDialog>
  );
};
