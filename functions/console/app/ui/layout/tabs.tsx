import { Link } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';

interface Tab {
  readonly label: string;
  /** The page of the tab: tabs have addresses, so that they can be shared and survive a reload. */
  readonly to: string;
  readonly isActive: boolean;
}

export const Tabs = ({ label, tabs }: { readonly label: string; readonly tabs: readonly Tab[] }) => {
  const nav = useRef<HTMLElement>(null);
  // On a narrow screen the tabs scroll, and the current one may be outside.
  useEffect(() => nav.current?.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest', inline: 'center' }), []);
  return (
    <nav ref={nav} className="tabs" aria-label={label}>
      {tabs.map((tab) => (
        <Link
          key={tab.to}
          to={tab.to}
          className="tabs__tab"
          // Otherwise the first tab counts as active on all of them, because its address is the beginning of theirs.
          activeOptions={{ exact: true, includeSearch: false }}
          aria-current={tab.isActive ? 'page' : undefined}
        >
          {tab.label}
        </Link>
      ))}
    </nav>
  );
};

interface SegmentsProps<T extends string> {
  readonly label: string;
  readonly value: T;
  readonly options: readonly (readonly [value: T, label: string])[];
  readonly onChange: (value: T) => void;
}

/** A choice of a few views within a page. */
export const Segments = <T extends string>({ label, value, options, onChange }: SegmentsProps<T>) => (
  <fieldset className="segments">
    <legend className="visually-hidden">{label}</legend>
    {options.map(([option, text]) => (
      <button
        key={option}
        type="button"
        className="segments__option"
        aria-pressed={option === value}
        onClick={() => onChange(option)}
      >
        {text}
      </button>
    ))}
  </fieldset>
);
