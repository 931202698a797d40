import { type KeyboardEvent, type ReactNode, useEffect, useId, useMemo, useRef, useState } from 'react';

interface SearchListProps<T> {
  /** What can be searched for; read aloud. */
  readonly label: string;
  readonly placeholder: string;
  readonly query: string;
  readonly onQuery: (query: string) => void;
  /** Best first. Those of one group follow each other. */
  readonly results: readonly T[];
  readonly keyOf: (result: T) => string;
  /** The heading above the first result of a group. */
  readonly groupOf?: (result: T) => string | undefined;
  /** Why a result cannot be chosen. */
  readonly disabledReason?: (result: T) => string | undefined;
  readonly onChoose: (result: T) => void;
  /** Of a result. */
  readonly children: (result: T) => ReactNode;
  /** Below the results, while nothing is typed. */
  readonly hint?: ReactNode;
  /** More results are being loaded. */
  readonly isLoading?: boolean;
}

/** A field with the results below it. Arrow keys, Home and End of the list choose, Enter opens; the focus stays in the field. */
export const SearchList = <T,>(props: SearchListProps<T>) => {
  const { label, placeholder, query, onQuery, results, keyOf, groupOf, disabledReason, onChoose, children, hint } = props;
  const [chosen, setActive] = useState(0);
  const active = Math.min(chosen, Math.max(0, results.length - 1));
  const id = useId();
  const list = useRef<HTMLDivElement>(null);
  // The pointer chooses only what it has moved to: results that move below it while one types are not meant.
  const isPointed = useRef(false);
  useEffect(() => {
    if (!isPointed.current) list.current?.querySelector(`[data-index="${active}"]`)?.scrollIntoView({ block: 'nearest' });
  }, [active]);
  const groups = useMemo(() => groupsOf(results, groupOf), [results, groupOf]);
  const move = (to: number): void => {
    isPointed.current = false;
    setActive(results.length === 0 ? 0 : (to + results.length) % results.length);
  };
  const choose = (result: T | undefined): void => {
    if (result !== undefined && disabledReason?.(result) === undefined) onChoose(result);
  };
  const onKey = (event: KeyboardEvent): void => {
    // A key that confirms a word of an input method chooses nothing.
    if (event.nativeEvent.isComposing) return;
    if (event.key === 'Enter') choose(results[active]);
    else if (event.key === 'ArrowDown') move(active + 1);
    else if (event.key === 'ArrowUp') move(active - 1);
    else if (event.key === 'PageDown') move(Math.min(results.length - 1, active + 8));
    else if (event.key === 'PageUp') move(Math.max(0, active - 8));
    else return;
    event.preventDefault();
  };
  return (
    <div className="search-list">
      <input
        className="input search-list__input"
        type="search"
        role="combobox"
        aria-label={label}
        aria-autocomplete="list"
        aria-expanded={results.length > 0}
        aria-controls={`${id}-results`}
        aria-activedescendant={results.length > 0 ? `${id}-${active}` : undefined}
        placeholder={placeholder}
        autoComplete="off"
        spellCheck={false}
        value={query}
        onChange={({ target }) => {
          onQuery(target.value);
          move(0);
        }}
        onKeyDown={onKey}
      />
      <div ref={list} id={`${id}-results`} role="listbox" aria-label="Results" className="search-list__results">
        {groups.map(({ name, from, items }) => {
          const options = items.map((result, offset) => {
            const position = from + offset;
            const reason = disabledReason?.(result);
            return (
              <div
                key={keyOf(result)}
                id={`${id}-${position}`}
                data-index={position}
                role="option"
                tabIndex={-1}
                aria-selected={position === active}
                aria-disabled={reason !== undefined || undefined}
                className="search-list__result"
                onPointerMove={() => {
                  isPointed.current = true;
                  setActive(position);
                }}
                onClick={() => choose(result)}
                onKeyDown={onKey}
              >
                {children(result)}
                {reason && <span className="small search-list__reason">{reason}</span>}
              </div>
            );
          });
          return name === undefined ? (
            options
          ) : (
            <fieldset key={`${name} ${from}`} className="search-list__options" aria-label={name}>
              <div className="search-list__group" aria-hidden="true">
                {name}
              </div>
              {options}
            </fieldset>
          );
        })}
      </div>
      <p className="small muted search-list__foot">
        <span role="status">{statusOf(props)}</span>
        <span className="search-list__keys">
          {hint}
          <span>
            <kbd>↑</kbd> <kbd>↓</kbd> to choose, <kbd>Enter</kbd> to open
          </span>
        </span>
      </p>
    </div>
  );
};

interface State {
  readonly query: string;
  readonly results: readonly unknown[];
  readonly isLoading?: boolean;
}

const statusOf = ({ query, results, isLoading = false }: State): string => {
  if (query.trim() === '') return '';
  if (results.length > 0) return `${results.length} ${results.length === 1 ? 'result' : 'results'}`;
  return isLoading ? 'Searching…' : `Nothing found for “${query.trim()}”.`;
};

interface Group<T> {
  readonly name: string | undefined;
  /** The position of its first result. */
  readonly from: number;
  readonly items: T[];
}

const groupsOf = <T,>(results: readonly T[], groupOf: SearchListProps<T>['groupOf']): readonly Group<T>[] => {
  const groups: Group<T>[] = [];
  for (const [position, result] of results.entries()) {
    const name = groupOf?.(result);
    const last = groups.at(-1);
    if (last && last.name === name) last.items.push(result);
    else groups.push({ name, from: position, items: [result] });
  }
  return groups;
};
