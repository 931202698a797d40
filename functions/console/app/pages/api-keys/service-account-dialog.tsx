import { readScopes, type Scope } from '../../../../../shared/contract/access.ts';
import { useRecordForm } from '../../api/use-record-form.ts';
import { type ServiceAccount, useCreateServiceAccount, useUpdateServiceAccount } from '../../data/service-account.ts';
import { Input } from '../../ui/form/field.tsx';
import { FormDialog } from '../../ui/overlay/form-dialog.tsx';
import { ApiKeyDialog } from './api-key-dialog.tsx';
import { PermissionPicker } from './permission-picker.tsx';

interface ServiceAccountDialogProps {
  /** Null: create one. */
  readonly account: ServiceAccount | null;
  readonly onClose: () => void;
}

const draftOf = (account: ServiceAccount | undefined) => ({
  name: account?.name ?? '',
  permissions: (account?.permissions ?? readScopes) as readonly Scope[],
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
      <PermissionPicker value={permissions} onChange={(given) => change({ permissions: given })} />
    </FormDialog>
  );
};
