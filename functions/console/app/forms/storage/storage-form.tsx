import type { ReactNode } from 'react';
import { fieldError } from '../../format/describe-failure.ts';
import { Checkbox, Input, Select } from '../../ui/form/field.tsx';
import { Segments } from '../../ui/layout/tabs.tsx';
import { CredentialFields } from './credential-fields.tsx';
import { LockFields } from './lock-fields.tsx';
import { ProbeFailure } from './probe-failure.tsx';
import { providerById, providers } from './providers.ts';
import { SetupSteps } from './setup-steps.tsx';
import { type StorageDraft, withProvider } from './storage-draft.ts';
import type { StorageFormState } from './use-storage-form.ts';

interface StorageFormProps {
  readonly id: string;
  readonly form: StorageFormState;
  /** Buttons, if they belong into the form. */
  readonly children?: ReactNode;
}

type TextField = 'name' | 'bucket' | 'prefix' | 'endpoint' | 'region';

const credentialNames = ['accessKeyId', 'secretAccessKey', 'roleArn', 'clientEmail', 'privateKey'];
const shownFields = [
  ...['name', 'bucket', 'prefix', 'endpoint', 'region', 'credentials', 'objectLock', 'objectLock.mode', 'objectLock.days'],
  ...credentialNames.map((name) => `credentials.${name}`),
  ...['workloadIdentity', 'workloadIdentity.projectNumber', 'workloadIdentity.serviceAccountEmail'],
];

/** The fields of a storage destination, with what to do at the provider and what the test found. */
export const StorageForm = ({ id, form, children }: StorageFormProps) => {
  const { saved, draft, change, error } = form;
  const provider = providerById(draft.providerId);
  const text = (name: TextField) => ({
    value: draft[name],
    onChange: ({ target }: { target: { value: string } }) =>
      change({ [name]: name === 'name' ? target.value : target.value.trim() } as Partial<StorageDraft>),
    error: fieldError(error, name),
    spellCheck: false,
    autoCapitalize: 'off',
  });
  return (
    <form
      id={id}
      className="form"
      onSubmit={(event) => {
        event.preventDefault();
        form.submit();
      }}
    >
      {!saved && (
        <Select label="Provider" value={provider.id} onChange={({ target }) => change(withProvider(target.value))}>
          {providers.map((each) => (
            <option key={each.id} value={each.id}>
              {each.label}
            </option>
          ))}
        </Select>
      )}
      <div className="form__pair">
        <Input label="Bucket" placeholder="my-backups" hint="It must exist already." {...text('bucket')} mono required />
        <Input label="Folder" placeholder="firestore" hint="Backups are stored below it." {...text('prefix')} mono optional />
      </div>
      {provider.endpointExample && (
        <Input label="Endpoint" type="url" placeholder={provider.endpointExample} {...text('endpoint')} mono required />
      )}
      {provider.region !== 'none' && (
        <Input
          label="Region"
          placeholder={provider.regionExample}
          {...text('region')}
          mono
          optional={provider.region === 'optional'}
          required={provider.region === 'required'}
        />
      )}
      {provider.credentials === 'aws' && (
        <Segments
          label="Credentials"
          value={draft.usesRole ? 'role' : 'keys'}
          options={[
            ['keys', 'Access key'],
            ['role', 'Role'],
          ]}
          onChange={(kind) => change({ usesRole: kind === 'role' })}
        />
      )}
      {provider.credentials === 'google' && (
        <Segments
          label="Credentials"
          value={draft.isKeyless ? 'keyless' : 'key'}
          options={[
            ['key', 'Key file'],
            ['keyless', 'Without a key'],
          ]}
          onChange={(kind) => change({ isKeyless: kind === 'keyless' })}
        />
      )}
      <SetupSteps provider={provider} draft={draft} />
      <CredentialFields form={form} />
      <Input label="Name" placeholder={draft.bucket} hint="How your team calls it." {...text('name')} optional />
      <Checkbox
        label="The service must not delete anything in this bucket"
        hint="Backups are kept after they expire, until you delete them yourself."
        checked={draft.immutable}
        onChange={({ target }) => change({ immutable: target.checked })}
      />
      {provider.hasObjectLock && <LockFields form={form} isGoogle={provider.id === 'gcs'} />}
      {error && <ProbeFailure error={error} consequence="Nothing was saved" shownFields={shownFields} />}
      {children}
    </form>
  );
};
