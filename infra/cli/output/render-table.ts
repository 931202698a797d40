/** Tables that fit the terminal. */
import { escapeName } from '../../archive/escape-output.ts';
import type { Style, Terminal } from './terminal.ts';
import { fitText, textWidth } from './text-width.ts';

export interface Column<Row> {
  readonly title: string;
  readonly value: (row: Row) => string | number | null | undefined;
  readonly align?: 'right' | undefined;
  readonly style?: ((row: Row) => Style | undefined) | undefined;
  /** May be shortened if the table is too wide. */
  readonly flexible?: boolean | undefined;
}

const gap = '  ';
const flexibleMin = 6;

/** One line per row below the titles; control characters are escaped. */
export const renderTable = <Row>(
  rows: readonly Row[],
  columns: readonly Column<Row>[],
  terminal: Terminal,
): readonly string[] => {
  const cells = rows.map((row) => columns.map(({ value }) => cellText(value(row))));
  const wanted = columns.map(({ title }, n) => Math.max(textWidth(title), ...cells.map((line) => textWidth(line[n] ?? ''))));
  const widths = shrink(wanted, columns, terminal.columns - gap.length * (columns.length - 1));
  const lineOf = (texts: readonly string[], paint: (text: string, n: number) => string): string =>
    texts
      .map((text, n) => {
        const fitted = fitText(text, widths[n] ?? 0);
        const padding = ' '.repeat(Math.max(0, (widths[n] ?? 0) - textWidth(fitted)));
        const painted = paint(fitted, n);
        if (columns[n]?.align === 'right') return padding + painted;
        return n === texts.length - 1 ? painted : painted + padding;
      })
      .join(gap);
  const titles = lineOf(
    columns.map(({ title }) => title),
    (text) => terminal.paint('bold', text),
  );
  const lines = rows.map((row, r) =>
    lineOf(cells[r] ?? [], (text, n) => {
      const style = columns[n]?.style?.(row);
      return style === undefined ? text : terminal.paint(style, text);
    }),
  );
  return [titles, ...lines];
};

const cellText = (value: string | number | null | undefined): string =>
  value === null || value === undefined || value === '' ? '-' : escapeName(String(value));

/** Takes the missing width from the widest flexible column, one character at a time. */
const shrink = <Row>(wanted: readonly number[], columns: readonly Column<Row>[], total: number): readonly number[] => {
  const widths = [...wanted];
  for (let over = widths.reduce((sum, width) => sum + width, 0) - total; over > 0; over--) {
    const widest = columns.reduce(
      (best, { flexible }, n) =>
        flexible && (widths[n] ?? 0) > flexibleMin && (widths[n] ?? 0) > (widths[best] ?? 0) ? n : best,
      -1,
    );
    if (widest < 0) break;
    widths[widest] = (widths[widest] ?? 0) - 1;
  }
  return widths;
};
