import { Input, Select } from '../../ui/form/field.tsx';
import type { Keyless } from '../keyless/keyless.ts';
import { KeylessCommands } from '../keyless/keyless-commands.tsx';

interface KeylessFieldsProps {
  readonly keyless: Keyless;
  readonly onKeyless: (changes: Partial<Keyless>) => void;
  readonly sourceProjectId: string;
  /** Of a field of the workload identity. */
  readonly errorOf: (field: string) => string | undefined;
}

export const keylessFields = ['workloadIdentity.projectNumber', 'workloadIdentity.serviceAccountEmail'];

/** The commands that let Google trust this organization, and what they were run for. */
export const KeylessFields = ({ keyless, onKeyless, sourceProjectId, errorOf }: KeylessFieldsProps) => {
  const { projectNumber, serviceAccountEmail, role } = keyless;
  return (
    <>
      <div className="form__pair">
        <Input
          label="Project number"
          hint="On the welcome page of the Google Cloud console, beside the project id."
          value={projectNumber}
          onChange={({ target }) => onKeyless({ projectNumber: target.value.trim() })}
          error={errorOf('projectNumber')}
          inputMode="numeric"
          spellCheck={false}
          mono
        />
        <Select
          label="Access"
          hint="Restores into this project need the second role."
          value={role}
          onChange={({ target }) => onKeyless({ role: target.value as Keyless['role'] })}
        >
          <option value="roles/datastore.viewer">Backups (roles/datastore.viewer)</option>
          <option value="roles/datastore.user">Backups and restores (roles/datastore.user)</option>
        </Select>
      </div>
      <Input
        label="Service account to act as"
        optional
        hint="Only if your policies grant roles to service accounts alone. It needs the role above already."
        value={serviceAccountEmail}
        onChange={({ target }) => onKeyless({ serviceAccountEmail: target.value.trim() })}
        error={errorOf('serviceAccountEmail')}
        spellCheck={false}
        autoCapitalize="off"
        mono
      />
      <KeylessCommands
        setup={{ ...keyless, sourceProjectId }}
        missing={sourceProjectId === '' ? 'Enter the project id to see the three commands to paste.' : undefined}
      />
    </>
  );
};
