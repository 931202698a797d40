/** Results go to stdout, everything else to stderr. With --json stdout has one JSON value, the data of the API. */
import { escapeName, escapeOutput } from '../../archive/escape-output.ts';
import { toJson } from '../../archive/to-json.ts';
import type { Environment } from '../base/environment.ts';
import type { GlobalOptions } from '../config/settings.ts';
import { type Column, renderTable } from './render-table.ts';
import type { Style, Terminal } from './terminal.ts';
import { textWidth } from './text-width.ts';

/** A line of a description: label, value, and the style of the value. Null hides the line. */
export type Detail = readonly [label: string, value: string | number | null | undefined, style?: Style | undefined];

export class Output {
  readonly isJson: boolean;
  readonly isQuiet: boolean;
  readonly terminal: Terminal;
  readonly #stdout: NodeJS.WriteStream;
  readonly #stderr: NodeJS.WriteStream;

  constructor({ stdout, stderr }: Environment, options: GlobalOptions, terminal: Terminal) {
    this.#stdout = stdout;
    this.#stderr = stderr;
    this.isJson = options.json === true;
    this.isQuiet = options.quiet === true;
    this.terminal = terminal;
  }

  /** A list: a JSON array, the ids alone with --quiet, or a table. */
  list<Row>(rows: readonly Row[], { columns, idOf, empty, json = rows }: ListView<Row>): void {
    if (this.isJson) this.json(json);
    else if (this.isQuiet) for (const id of new Set(rows.map(idOf))) this.line(id);
    else if (rows.length === 0) this.note(empty);
    else this.table(rows, columns);
  }

  /** A table that fits the terminal. What a narrow one leaves out is said. */
  table<Row>(rows: readonly Row[], columns: readonly Column<Row>[]): void {
    const { lines, leftOut } = renderTable(rows, columns, this.terminal);
    for (const line of lines) this.line(line);
    if (leftOut.length > 0) this.note(`The terminal is too narrow for ${leftOut.join(', ')}`);
  }

  /** One resource: its JSON, its id alone with --quiet, or labelled lines. */
  show(data: unknown, id: string, details: readonly Detail[]): void {
    if (this.isJson) this.json(data);
    else if (this.isQuiet) this.line(id);
    else this.details(details);
  }

  /** The result of a command that changes something: its JSON, the id alone with --quiet, or a sentence. */
  result(data: unknown, id: string, sentence: string): void {
    if (this.isJson) this.json(data);
    else this.line(this.isQuiet ? id : escapeOutput(sentence));
  }

  details(details: readonly Detail[]): void {
    const shown = details.filter(([, value]) => value !== null && value !== undefined && value !== '');
    const width = Math.max(0, ...shown.map(([label]) => textWidth(label)));
    for (const [label, value, style] of shown) {
      const text = escapeName(String(value));
      const name = this.terminal.paint('dim', label.padEnd(width));
      this.line(`${name}  ${style === undefined ? text : this.terminal.paint(style, text)}`);
    }
  }

  json(data: unknown): void {
    this.line(escapeOutput(toJson(data, 2)));
  }

  /** One line of a stream of JSON. */
  jsonLine(data: unknown): void {
    this.line(escapeOutput(toJson(data)));
  }

  /** A line of the result. The caller escapes texts of customers. */
  line(text: string): void {
    this.#stdout.write(`${text}\n`);
  }

  /** For people only; omitted with --quiet. */
  note(text: string): void {
    if (!this.isQuiet) this.#stderr.write(`${escapeOutput(text)}\n`);
  }

  warn(text: string): void {
    this.#stderr.write(`${this.terminal.paintNote('yellow', `warning: ${escapeOutput(text)}`)}\n`);
  }

  /** Text without a line feed, such as a bar that is rewritten. */
  progress(text: string): void {
    if (this.terminal.hasProgress) this.#stderr.write(text);
  }
}

export interface ListView<Row> {
  readonly columns: readonly Column<Row>[];
  readonly idOf: (row: Row) => string;
  /** The note for an empty list. */
  readonly empty: string;
  /** In place of the rows, where several of them are about one thing. */
  readonly json?: readonly unknown[];
}
