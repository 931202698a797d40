/** Boxes that select rows of a table. */
import type { ChangeEvent } from 'react';

export interface Selection {
  readonly selected: ReadonlySet<string>;
  readonly onChange: (selected: ReadonlySet<string>) => void;
}

interface SelectAllProps {
  readonly selection: Selection;
  /** Of all rows, in their order. */
  readonly keys: readonly string[];
}

export const SelectAll = ({ selection: { selected, onChange }, keys }: SelectAllProps) => {
  const count = keys.filter((key) => selected.has(key)).length;
  const isAll = count > 0 && count === keys.length;
  return (
    <label className="table__pick">
      <input
        type="checkbox"
        aria-label="Select all"
        checked={isAll}
        disabled={keys.length === 0}
        ref={(box) => {
          if (box) box.indeterminate = count > 0 && !isAll;
        }}
        onChange={() => onChange(new Set(isAll ? [] : keys))}
      />
    </label>
  );
};

interface SelectRowProps extends SelectAllProps {
  readonly rowKey: string;
  readonly name: string;
}

/** With Shift, the rows between it and the nearest selected one above follow. */
export const SelectRow = ({ selection: { selected, onChange }, keys, rowKey, name }: SelectRowProps) => {
  const isSelected = selected.has(rowKey);
  const toggle = ({ nativeEvent }: ChangeEvent): void => {
    const at = keys.indexOf(rowKey);
    // React takes the change of a box from its click.
    const hasShift = 'shiftKey' in nativeEvent && nativeEvent.shiftKey === true;
    const from = hasShift ? keys.findLastIndex((key, index) => index < at && selected.has(key)) : -1;
    const next = new Set([...selected, ...keys.slice(from === -1 ? at : from, at + 1)]);
    if (isSelected) next.delete(rowKey);
    onChange(next);
  };
  return (
    <label className="table__pick">
      <input type="checkbox" aria-label={`Select ${name}`} checked={isSelected} onChange={toggle} />
    </label>
  );
};
