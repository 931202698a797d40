import { useState } from 'react';
import { type Encryption, useSetEncryption } from '../../data/organization.ts';
import { fieldError } from '../../format/describe-failure.ts';
import { Notice } from '../../ui/data/notice.tsx';
import { Checkbox, Input, Select } from '../../ui/form/field.tsx';
import { FormDialog } from '../../ui/overlay/form-dialog.tsx';

interface EncryptionDialogProps {
  readonly encryption: Encryption;
  readonly onClose: () => void;
}

export const EncryptionDialog = ({ encryption, onClose }: EncryptionDialogProps) => {
  const set = useSetEncryption();
  const [mode, setMode] = useState<Encryption['mode']>(encryption.mode);
  const [passphrase, setPassphrase] = useState('');
  const [repeated, setRepeated] = useState('');
  const [isKept, setKept] = useState(false);
  const isOwn = mode === 'customer';
  const missing = isOwn
    ? passphrase.length < 8
      ? 'The passphrase has at least 8 characters'
      : passphrase !== repeated
        ? 'The two passphrases differ'
        : isKept
          ? undefined
          : 'Confirm that you keep the passphrase'
    : encryption.mode === 'kms'
      ? 'Nothing has changed'
      : undefined;
  const submit = (): void => {
    if (!missing) set.mutate(isOwn ? { mode, passphrase } : { mode }, { onSuccess: onClose });
  };
  return (
    <FormDialog
      title="Change the encryption"
      change={set}
      action="Change encryption"
      reason={missing}
      shownFields={['passphrase']}
      onSubmit={submit}
      onClose={onClose}
    >
      <Select label="Wrap data keys with" value={mode} onChange={({ target }) => setMode(target.value as Encryption['mode'])}>
        <option value="kms">A key of AWS KMS</option>
        <option value="customer">My own passphrase</option>
      </Select>
      {isOwn && (
        <>
          <Notice tone="warn" title="Keep the passphrase where you will find it in ten years">
            Without it, no one can read the backups outside of this service, and the archive reader asks for it.
          </Notice>
          <Input
            label="Passphrase"
            type="password"
            autoComplete="new-password"
            value={passphrase}
            onChange={({ target }) => setPassphrase(target.value)}
            error={fieldError(set.error, 'passphrase')}
            hint="At least 8 characters; better a sentence of several words."
          />
          <Input
            label="Passphrase again"
            type="password"
            autoComplete="new-password"
            value={repeated}
            onChange={({ target }) => setRepeated(target.value)}
            error={repeated && repeated !== passphrase ? 'differs from the first' : undefined}
          />
          <Checkbox
            label="I have stored the passphrase safely."
            checked={isKept}
            onChange={({ target }) => setKept(target.checked)}
          />
        </>
      )}
    </FormDialog>
  );
};
