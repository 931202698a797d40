import { useState } from 'react';
import { usePermission } from '../../api/permission.ts';
import { useDraft } from '../../api/use-draft.ts';
import { type StorageDestination, useAddStorage, useUpdateStorage } from '../../data/storage.ts';
import { changesOf } from '../../ui/form/changes-of.ts';
import { useFirst } from '../../ui/form/use-first.ts';
import { providerById } from './providers.ts';
import { accessOf, draftOf, fieldsOf, noSecrets, type StorageDraft, type StorageSecrets } from './storage-draft.ts';

export interface StorageFormState {
  readonly saved: StorageDestination | undefined;
  readonly draft: StorageDraft;
  readonly secrets: StorageSecrets;
  readonly change: (changes: Partial<StorageDraft>) => void;
  readonly changeSecrets: (changes: Partial<StorageSecrets>) => void;
  readonly submit: () => void;
  /** Forgets what was typed. */
  readonly forget: () => void;
  readonly error: Error | null;
  readonly isPending: boolean;
  /** Why it cannot be sent. */
  readonly reason: string | undefined;
}

/** The state of the form that adds a destination, or changes the saved one. It is tested before it is saved. */
export const useStorageForm = (saved: StorageDestination | undefined, onSaved: () => void): StorageFormState => {
  const opened = useFirst(saved);
  const add = useAddStorage();
  const update = useUpdateStorage(saved?.id ?? '');
  const [draft, change, forget] = useDraft('storage', draftOf(saved), { recordId: saved?.id });
  const [secrets, setSecrets] = useState(noSecrets);
  const { reason } = usePermission('admin');
  const provider = providerById(draft.providerId);
  const access = accessOf(draft, secrets);
  // The saved access stays only if it is of the chosen kind.
  const isSaved = saved !== undefined && (saved.workloadIdentity !== undefined) === draft.isKeyless;
  const isMissing = provider.credentials === 'google' && !isSaved && !access;
  const missing = reason ?? (isMissing ? missingAccess(draft) : undefined);
  const isPending = add.isPending || update.isPending;
  const onSuccess = (): void => {
    forget();
    onSaved();
  };
  const submit = (): void => {
    if (missing || isPending) return;
    const fields = fieldsOf(draft, provider);
    if (opened) {
      // What was not changed is not sent: another person may have locked the objects of new backups meanwhile.
      const shown = draftOf(opened);
      const changes = { ...changesOf(fieldsOf(shown, providerById(shown.providerId)), fields), ...access };
      // Without any change the bucket is still tested, as the button says.
      update.mutate(Object.keys(changes).length === 0 ? { name: fields.name } : changes, { onSuccess });
    } else if (access) add.mutate({ ...fields, type: provider.type, ...access }, { onSuccess });
  };
  return {
    saved,
    draft,
    secrets,
    change,
    changeSecrets: (changes) => setSecrets({ ...secrets, ...changes }),
    submit,
    forget,
    error: add.error ?? update.error,
    isPending,
    reason: missing,
  };
};

const missingAccess = ({ isKeyless }: StorageDraft): string =>
  isKeyless ? 'Enter the project number first' : 'Choose the key file first';
