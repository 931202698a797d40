import type { ReactNode } from 'react';
import { Icon } from '../icon.tsx';
import { SelectAll, type Selection, SelectRow } from './row-selection.tsx';
import { Skeleton } from './skeleton.tsx';

export interface Column<T> {
  readonly key: string;
  readonly label: ReactNode;
  readonly cell: (row: T) => ReactNode;
  /** Right-aligned with digits of equal width. */
  readonly isNumber?: boolean;
  /** Left out of a table that is too narrow for all columns; cards have it. */
  readonly isMinor?: boolean;
  /** Names the row: the heading of its card on a small screen. */
  readonly isTitle?: boolean;
  /** Buttons: at the end of a row, below a card. */
  readonly isActions?: boolean;
  /** The order of the rows by this column; its heading becomes a button. */
  readonly sort?: string;
}

/** `name`, or `-name` for the reverse. */
interface Sorting {
  readonly by: string | undefined;
  readonly onChange: (sort: string) => void;
}

interface TableProps<T> {
  /** Read aloud; says what the rows are. */
  readonly label: string;
  readonly columns: readonly Column<T>[];
  /** Undefined while they load. */
  readonly rows: readonly T[] | undefined;
  readonly rowKey: (row: T) => string;
  readonly sorting?: Sorting;
  /** Each row gets a box that selects it. */
  readonly selection?: Selection & {
    /** Names a row for people who do not see it. */
    readonly rowName: (row: T) => string;
  };
}

const skeletonRows = ['first', 'second', 'third', 'fourth'];
const classOf = ({ isNumber, isTitle, isActions, isMinor }: Column<never>): string | undefined =>
  [isNumber && 'number table__number', isTitle && 'table__title', isActions && 'table__actions', isMinor && 'table__minor']
    .filter(Boolean)
    .join(' ') || undefined;

/** A table if it is at least 760 px wide; below, each row is a card with its labels. */
export const Table = <T,>({ label, columns, rows, rowKey, sorting, selection }: TableProps<T>) => (
  <div className="table-frame">
    <table className="table" aria-label={label} aria-busy={rows === undefined}>
      <thead>
        <tr>
          {selection && (
            <th scope="col" className="table__select">
              <SelectAll selection={selection} keys={rows?.map(rowKey) ?? []} />
            </th>
          )}
          {columns.map((column) => (
            <th
              key={column.key}
              scope="col"
              className={classOf(column as Column<never>)}
              aria-sort={sorting && column.sort !== undefined ? directionOf(column.sort, sorting) : undefined}
            >
              <Heading column={column as Column<never>} sorting={sorting} />
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows === undefined
          ? skeletonRows.map((row) => (
              <tr key={row}>
                {selection && <td className="table__select" />}
                {columns.map((column) => (
                  <td key={column.key} className={classOf(column as Column<never>)}>
                    <Skeleton width={column.isActions ? '3rem' : '70%'} />
                  </td>
                ))}
              </tr>
            ))
          : rows.map((row) => (
              <tr key={rowKey(row)}>
                {selection && (
                  <td className="table__select">
                    <SelectRow selection={selection} keys={rows.map(rowKey)} rowKey={rowKey(row)} name={selection.rowName(row)} />
                  </td>
                )}
                {columns.map((column) => (
                  <td key={column.key} className={classOf(column as Column<never>)}>
                    {!column.isTitle && !column.isActions && (
                      <span className="table__label" aria-hidden="true">
                        {column.label}
                      </span>
                    )}
                    <span className="table__value">{column.cell(row)}</span>
                  </td>
                ))}
              </tr>
            ))}
      </tbody>
    </table>
  </div>
);

const directionOf = (sort: string, { by }: Sorting): 'ascending' | 'descending' | 'none' => {
  if (by === sort) return 'ascending';
  return by === `-${sort}` ? 'descending' : 'none';
};

/** A second press of the same heading reverses the order. */
const Heading = ({ column, sorting }: { readonly column: Column<never>; readonly sorting: Sorting | undefined }) => {
  const { label, isActions, sort } = column;
  if (isActions) return <span className="visually-hidden">{label}</span>;
  if (!sorting || sort === undefined) return label;
  const direction = directionOf(sort, sorting);
  return (
    <button
      type="button"
      className={`table__sort table__sort--${direction}`}
      onClick={() => sorting.onChange(direction === 'ascending' ? `-${sort}` : sort)}
    >
      {label}
      <Icon name="chevronDown" size={14} />
    </button>
  );
};
