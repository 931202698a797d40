import { fieldError } from '../../format/describe-failure.ts';
import { Input } from '../../ui/form/field.tsx';
import { KeylessCommands } from '../keyless/keyless-commands.tsx';
import type { StorageFormState } from './use-storage-form.ts';

/** As the contract, so that a name that is still being typed is not asked for. */
const isBucket = (name: string): boolean => /^[a-z0-9][a-z0-9._-]{1,220}[a-z0-9]$/.test(name);

/** Access to a bucket of Google without a key: the commands to paste, and what they were run for. */
export const KeylessBucketFields = ({ form }: { readonly form: StorageFormState }) => {
  const { saved, draft, change, error } = form;
  const { bucket, googleProjectId, projectNumber, serviceAccountEmail, lockMode } = draft;
  const typed = { spellCheck: false, autoCapitalize: 'off', mono: true } as const;
  const kept = saved?.workloadIdentity && 'Leave empty to keep the saved one.';
  return (
    <>
      <div className="form__pair">
        <Input
          label="Google Cloud project"
          optional
          placeholder="my-project"
          hint="Its id, for the commands below. Usually the project of the bucket."
          value={googleProjectId}
          onChange={({ target }) => change({ googleProjectId: target.value.trim() })}
          {...typed}
        />
        <Input
          label="Project number"
          required={!kept}
          hint={kept ?? 'On the welcome page of the Google Cloud console, beside the project id.'}
          value={projectNumber}
          onChange={({ target }) => change({ projectNumber: target.value.trim() })}
          error={fieldError(error, 'workloadIdentity.projectNumber') ?? fieldError(error, 'workloadIdentity')}
          inputMode="numeric"
          {...typed}
        />
      </div>
      <Input
        label="Service account to act as"
        optional
        hint="Only if your policies grant roles to service accounts alone. It needs access to the bucket already."
        value={serviceAccountEmail}
        onChange={({ target }) => change({ serviceAccountEmail: target.value.trim() })}
        error={fieldError(error, 'workloadIdentity.serviceAccountEmail')}
        {...typed}
      />
      <KeylessCommands
        setup={{
          sourceProjectId: googleProjectId,
          bucket,
          projectNumber,
          serviceAccountEmail,
          role: lockMode === '' ? 'roles/storage.objectUser' : 'roles/storage.objectAdmin',
        }}
        missing={
          googleProjectId === '' || !isBucket(bucket)
            ? 'Enter the bucket and the id of the Google Cloud project to see the three commands to paste.'
            : undefined
        }
      />
    </>
  );
};
