import { type ReactNode, useId } from 'react';

export interface RadioCard<T extends string> {
  readonly value: T;
  readonly title: ReactNode;
  readonly children?: ReactNode;
  /** Why it cannot be chosen. */
  readonly disabledReason?: string | undefined;
  readonly tone?: 'bad' | undefined;
}

interface RadioCardsProps<T extends string> {
  readonly legend: string;
  /** Shows the legend as the label of a field. */
  readonly showsLegend?: boolean;
  /** Several beside each other, where there is room for their words. */
  readonly isWide?: boolean;
  readonly value: T | undefined;
  readonly cards: readonly RadioCard<T>[];
  readonly onChange: (value: T) => void;
}

/** A choice of a few options that need words. Arrow keys move between them. */
export const RadioCards = <T extends string>({
  legend,
  showsLegend = false,
  isWide = false,
  value,
  cards,
  onChange,
}: RadioCardsProps<T>) => {
  const name = useId();
  return (
    <fieldset className={isWide ? 'radio-cards radio-cards--wide' : 'radio-cards'}>
      <legend className={showsLegend ? 'field__label' : 'visually-hidden'}>{legend}</legend>
      {cards.map(({ value: option, title, children, disabledReason, tone }) => (
        <label key={option} className={`radio-card${tone ? ` radio-card--${tone}` : ''}`}>
          <input
            type="radio"
            name={name}
            value={option}
            checked={option === value}
            disabled={disabledReason !== undefined}
            onChange={() => onChange(option)}
          />
          <span className="radio-card__title">{title}</span>
          {(children || disabledReason) && (
            <span className="radio-card__text">
              {children}
              {disabledReason && <span className="small muted radio-card__reason">{disabledReason}</span>}
            </span>
          )}
        </label>
      ))}
    </fieldset>
  );
};
