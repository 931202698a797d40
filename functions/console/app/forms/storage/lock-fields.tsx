import { fieldError } from '../../format/describe-failure.ts';
import { Input, Select } from '../../ui/form/field.tsx';
import type { StorageDraft } from './storage-draft.ts';
import type { StorageFormState } from './use-storage-form.ts';

interface LockFieldsProps {
  readonly form: StorageFormState;
  readonly isGoogle: boolean;
}

/** What a lock means, for a person to read before choosing compliance, which cannot be taken back. */
const modeHints: Readonly<Record<StorageDraft['lockMode'], string>> = {
  '': 'The owner of the bucket can delete a backup at any time.',
  governance:
    'The store refuses to delete the objects of a backup before their time, unless someone has the permission to bypass the lock.',
  compliance:
    'No one can delete the objects of a backup before their time: not this service, not the owner of the bucket, not the provider. They are billed until then.',
};

/** For how long the store itself keeps every new backup, and all that it builds on. */
export const LockFields = ({ form, isGoogle }: LockFieldsProps) => {
  const { draft, change, error } = form;
  const permissions = isGoogle
    ? 'The bucket needs per-object retention, and the service account or principal storage.objects.setRetention (roles/storage.objectAdmin).'
    : 'The bucket must have been created with Object Lock, and the credentials need s3:PutObjectRetention, s3:GetObjectRetention, s3:GetObjectVersion and s3:ListBucketVersions.';
  return (
    <>
      <Select
        label="Object lock"
        value={draft.lockMode}
        hint={draft.lockMode === '' ? modeHints[''] : `${modeHints[draft.lockMode]} ${permissions}`}
        onChange={({ target }) => change({ lockMode: target.value as StorageDraft['lockMode'] })}
        error={fieldError(error, 'objectLock') ?? fieldError(error, 'objectLock.mode')}
      >
        <option value="">Not locked</option>
        <option value="governance">Governance</option>
        <option value="compliance">Compliance</option>
      </Select>
      {draft.lockMode !== '' && (
        <Input
          label="Locked for days"
          type="number"
          inputMode="numeric"
          min={1}
          max={36_500}
          step={1}
          required
          hint="From the start of each new backup. Existing backups keep the lock they have, unless a new one builds on them."
          value={draft.lockDays}
          onChange={({ target }) => change({ lockDays: target.value })}
          error={fieldError(error, 'objectLock.days')}
        />
      )}
    </>
  );
};
