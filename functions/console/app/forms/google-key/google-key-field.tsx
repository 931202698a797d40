import { type ChangeEvent, useState } from 'react';
import { Button } from '../../ui/form/button.tsx';
import { Field } from '../../ui/form/field.tsx';
import { Icon } from '../../ui/icon.tsx';
import { type GoogleKey, readGoogleKey } from './google-key.ts';

interface GoogleKeyFieldProps {
  readonly value: GoogleKey | undefined;
  readonly onChange: (key: GoogleKey | undefined) => void;
  /** The service's refusal of the key. */
  readonly error?: string | undefined;
  readonly hint?: string | undefined;
  readonly optional?: boolean;
}

/** A key file: chosen, dropped or pasted. Shows the account of the key, never the key itself. */
export const GoogleKeyField = ({ value, onChange, error, hint, optional = false }: GoogleKeyFieldProps) => {
  const [problem, setProblem] = useState<string>();
  const read = (text: string): void => {
    const key = text.trim() === '' ? undefined : readGoogleKey(text);
    setProblem(key && 'problem' in key ? key.problem : undefined);
    onChange(key && 'problem' in key ? undefined : key);
  };
  if (value)
    return (
      <div className="key-field key-field--chosen">
        <Icon name="checkCircle" />
        <div>
          <strong className="wrap-anywhere">{value.clientEmail}</strong>
          <div className="small muted">The key is stored encrypted and never shown again.</div>
          {error && <div className="field__error">{error}</div>}
        </div>
        <Button size="small" onClick={() => onChange(undefined)}>
          Replace
        </Button>
      </div>
    );
  const choose = ({ target }: ChangeEvent<HTMLInputElement>): void => void target.files?.[0]?.text().then(read);
  return (
    <Field
      label="Key file (JSON)"
      error={problem ?? error}
      hint={hint ?? 'Choose the file, drop it on the button, or paste its text.'}
      optional={optional}
    >
      {(described) => (
        <div className="key-field">
          <input className="key-field__file" type="file" accept="application/json,.json" onChange={choose} {...described} />
          <textarea
            className="input input--mono"
            rows={2}
            aria-label="Text of the key file"
            placeholder={'{ "type": "service_account", … }'}
            spellCheck={false}
            autoComplete="off"
            onChange={({ target }) => read(target.value)}
          />
        </div>
      )}
    </Field>
  );
};
