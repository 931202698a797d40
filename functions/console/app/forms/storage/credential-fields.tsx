import { fieldError } from '../../format/describe-failure.ts';
import { Input } from '../../ui/form/field.tsx';
import { GoogleKeyField } from '../google-key/google-key-field.tsx';
import { KeylessBucketFields } from './keyless-bucket-fields.tsx';
import { providerById } from './providers.ts';
import type { StorageFormState } from './use-storage-form.ts';

/** The credentials of the provider. Saved ones stay if nothing is typed. */
export const CredentialFields = ({ form }: { readonly form: StorageFormState }) => {
  const { saved, draft, secrets, change, changeSecrets, error } = form;
  const { credentials } = providerById(draft.providerId);
  const isKeySaved = saved !== undefined && !saved.workloadIdentity;
  const kept = saved ? 'Leave empty to keep the saved one.' : undefined;
  const errorOf = (name: string): string | undefined => fieldError(error, `credentials.${name}`);
  const errorOfAll = fieldError(error, 'credentials');
  if (credentials === 'google' && draft.isKeyless) return <KeylessBucketFields form={form} />;
  if (credentials === 'google')
    return (
      <GoogleKeyField
        value={secrets.googleKey}
        onChange={(googleKey) => changeSecrets({ googleKey })}
        error={errorOf('privateKey') ?? errorOf('clientEmail') ?? errorOfAll}
        optional={isKeySaved}
        hint={isKeySaved ? 'Choose or paste a new key, or leave it empty to keep the saved one.' : undefined}
      />
    );
  return draft.usesRole ? (
    <Input
      label="Role"
      mono
      required={!saved}
      placeholder="arn:aws:iam::123456789012:role/backup-destination"
      hint={kept ?? 'The service assumes it for each job; no key is stored.'}
      value={draft.roleArn}
      onChange={({ target }) => change({ roleArn: target.value.trim() })}
      error={errorOf('roleArn') ?? errorOfAll}
    />
  ) : (
    <div className="form__pair">
      <Input
        label="Access key id"
        mono
        required={!saved}
        hint={kept}
        value={secrets.accessKeyId}
        onChange={({ target }) => changeSecrets({ accessKeyId: target.value.trim() })}
        error={errorOf('accessKeyId') ?? errorOfAll}
      />
      <Input
        label="Secret access key"
        type="password"
        autoComplete="new-password"
        required={!saved}
        hint={kept ?? 'Stored encrypted and never shown again.'}
        value={secrets.secretAccessKey}
        onChange={({ target }) => changeSecrets({ secretAccessKey: target.value.trim() })}
        error={errorOf('secretAccessKey')}
      />
    </div>
  );
};
