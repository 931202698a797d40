import { type ReactNode, useId } from 'react';

interface ChoiceProps<T extends string> {
  readonly label: ReactNode;
  readonly value: T;
  readonly options: readonly (readonly [value: T, label: ReactNode, hint?: ReactNode])[];
  readonly onChange: (value: T) => void;
}

/** One of a few options, each with its consequence in words. */
export const Choice = <T extends string>({ label, value, options, onChange }: ChoiceProps<T>) => {
  const name = useId();
  return (
    <fieldset className="choice">
      <legend className="field__label">{label}</legend>
      {options.map(([option, text, hint]) => (
        <label key={option} className="checkbox">
          <input type="radio" name={name} checked={option === value} onChange={() => onChange(option)} />
          <span>{text}</span>
          {hint && <span className="field__hint">{hint}</span>}
        </label>
      ))}
    </fieldset>
  );
};
