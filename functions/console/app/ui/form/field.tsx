import { type InputHTMLAttributes, type ReactNode, type SelectHTMLAttributes, type TextareaHTMLAttributes, useId } from 'react';
import { Icon } from '../icon.tsx';

interface FieldProps {
  readonly label: ReactNode;
  readonly hint?: ReactNode;
  readonly error?: string | undefined;
  readonly optional?: boolean;
}

interface Described {
  readonly id: string;
  readonly 'aria-describedby': string | undefined;
  readonly 'aria-invalid': true | undefined;
}

/** Label, hint and error around one control, connected for screen readers. */
export const Field = ({ label, hint, error, optional, children }: FieldProps & { children: (props: Described) => ReactNode }) => {
  const id = useId();
  const describedBy = [hint && `${id}-hint`, error && `${id}-error`].filter(Boolean).join(' ') || undefined;
  return (
    <div className="field">
      <label className="field__label" htmlFor={id}>
        {label}
        {optional && <span className="muted regular"> (optional)</span>}
      </label>
      {children({ id, 'aria-describedby': describedBy, 'aria-invalid': error === undefined ? undefined : true })}
      {hint && (
        <div className="field__hint" id={`${id}-hint`}>
          {hint}
        </div>
      )}
      {error && (
        <div className="field__error" id={`${id}-error`}>
          <Icon name="alert" /> <span>{error}</span>
        </div>
      )}
    </div>
  );
};

type InputProps = FieldProps & InputHTMLAttributes<HTMLInputElement> & { readonly mono?: boolean };

export const Input = ({ label, hint, error, optional = false, mono = false, ...rest }: InputProps) => (
  <Field label={label} hint={hint} error={error} optional={optional}>
    {(described) => <input className={mono ? 'input input--mono' : 'input'} autoComplete="off" {...rest} {...described} />}
  </Field>
);

type TextareaProps = FieldProps & TextareaHTMLAttributes<HTMLTextAreaElement> & { readonly mono?: boolean };

export const Textarea = ({ label, hint, error, optional = false, mono = false, ...rest }: TextareaProps) => (
  <Field label={label} hint={hint} error={error} optional={optional}>
    {(described) => <textarea className={mono ? 'input input--mono' : 'input'} {...rest} {...described} />}
  </Field>
);

type SelectProps = FieldProps & SelectHTMLAttributes<HTMLSelectElement>;

/** The browser's own list: works with keyboards, screen readers and phones without further code. */
export const Select = ({ label, hint, error, optional = false, children, ...rest }: SelectProps) => (
  <Field label={label} hint={hint} error={error} optional={optional}>
    {(described) => (
      <select className="input" {...rest} {...described}>
        {children}
      </select>
    )}
  </Field>
);

type CheckboxProps = Omit<InputHTMLAttributes<HTMLInputElement>, 'type'> & {
  readonly label: ReactNode;
  readonly hint?: ReactNode;
};

export const Checkbox = ({ label, hint, ...rest }: CheckboxProps) => (
  <label className="checkbox">
    <input type="checkbox" {...rest} />
    <span>{label}</span>
    {hint && <span className="field__hint">{hint}</span>}
  </label>
);
