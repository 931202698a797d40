/** Tables that fit the terminal. */
import { escapeName } from '../../archive/escape-output.ts';
import type { Style, Terminal } from './terminal.ts';
import { fitText, textWidth } from './text-width.ts';

export interface Column<Row> {
  readonly title: string;
  readonly value: (row: Row) => string | number | null | undefined;
  readonly align?: 'right' | undefined;
  readonly style?: ((row: Row) => Style | undefined) | undefined;
  /** May be shortened if the table is too wide; of numbers only the title. */
  readonly flexible?: boolean | undefined;
  /** May be left out if the shortened table is still too wide; 1 is left out first. */
  readonly optional?: number | undefined;
}

export interface RenderedTable {
  /** The titles, then one line per row. */
  readonly lines: readonly string[];
  /** Titles of the columns that did not fit, unless they are empty. */
  readonly leftOut: readonly string[];
}

const gap = '  ';
const flexibleMin = 6;
const emptyCell = '-';

/** A table that fits the terminal; control characters are escaped. */
export const renderTable = <Row>(rows: readonly Row[], columns: readonly Column<Row>[], terminal: Terminal): RenderedTable => {
  const measured = columns.map((column) => measure(column, rows));
  const shown = leaveOut(measured, terminal.columns);
  const widths = shrink(shown, terminal.columns);
  const lineOf = (texts: readonly string[], paint: (text: string, n: number) => string): string =>
    texts
      .map((text, n) => {
        const fitted = fitText(text, widths[n] ?? 0);
        const padding = ' '.repeat(Math.max(0, (widths[n] ?? 0) - textWidth(fitted)));
        const painted = paint(fitted, n);
        if (shown[n]?.column.align === 'right') return padding + painted;
        return n === texts.length - 1 ? painted : painted + padding;
      })
      .join(gap);
  const titles = lineOf(
    shown.map(({ column }) => column.title),
    (text) => terminal.paint('bold', text),
  );
  const lines = rows.map((row, r) =>
    lineOf(
      shown.map(({ cells }) => cells[r] ?? ''),
      (text, n) => {
        const style = shown[n]?.column.style?.(row);
        return style === undefined ? text : terminal.paint(style, text);
      },
    ),
  );
  const leftOut = measured
    .filter((each) => !shown.includes(each) && each.cells.some((cell) => cell !== emptyCell))
    .map(({ column }) => column.title);
  return { lines: [titles, ...lines], leftOut };
};

interface MeasuredColumn<Row> {
  readonly column: Column<Row>;
  readonly cells: readonly string[];
  readonly width: number;
  readonly minWidth: number;
}

const measure = <Row>(column: Column<Row>, rows: readonly Row[]): MeasuredColumn<Row> => {
  const cells = rows.map((row) => cellText(column.value(row)));
  const cellWidth = cells.reduce((max, cell) => Math.max(max, textWidth(cell)), 0);
  const width = Math.max(textWidth(column.title), cellWidth);
  const shortest = column.align === 'right' ? Math.max(flexibleMin, cellWidth) : flexibleMin;
  return { column, cells, width, minWidth: column.flexible ? Math.min(width, shortest) : width };
};

const cellText = (value: string | number | null | undefined): string =>
  value === null || value === undefined || value === '' ? emptyCell : escapeName(String(value));

const totalOf = (widths: readonly number[]): number =>
  widths.reduce((sum, width) => sum + width, gap.length * (widths.length - 1));

/** The columns that fit when they are shortened as far as possible. */
const leaveOut = <Row>(columns: readonly MeasuredColumn<Row>[], total: number): readonly MeasuredColumn<Row>[] => {
  if (totalOf(columns.map(({ minWidth }) => minWidth)) <= total) return columns;
  const ranks = columns.flatMap(({ column }) => column.optional ?? []);
  if (ranks.length === 0) return columns;
  const first = Math.min(...ranks);
  return leaveOut(
    columns.filter(({ column }) => column.optional !== first),
    total,
  );
};

/** Takes the missing width from the widest column that may be shortened, one character at a time. */
const shrink = <Row>(columns: readonly MeasuredColumn<Row>[], total: number): readonly number[] => {
  const widths = columns.map(({ width }) => width);
  for (let over = totalOf(widths) - total; over > 0; over--) {
    const widest = columns.reduce(
      (best, { minWidth }, n) => ((widths[n] ?? 0) > minWidth && (widths[n] ?? 0) > (widths[best] ?? 0) ? n : best),
      -1,
    );
    if (widest < 0) break;
    widths[widest] = (widths[widest] ?? 0) - 1;
  }
  return widths;
};
