import { fieldSegments, type RestFields, type RestValue } from '../firestore/index.ts';
import { csvExactCell, csvTextCell } from './csv-line.ts';
import { documentColumn, documentColumns, type ExportRow, referencePath } from './export-row.ts';
import { exportValue } from './export-value.ts';
import { plainJson, plainObject } from './plain-json.ts';
import { otherColumn, type TableSchema } from './table-schema.ts';

interface CsvOptions {
  /** Texts are not changed, also if a spreadsheet would run them as formulas. */
  readonly isExact: boolean;
}

type Column = (row: ExportRow, table: CsvTable) => string;

/** Writes documents as lines of a CSV file. A missing field and a null are empty cells; an empty text is `""`. */
export class CsvTable {
  readonly header: string;
  readonly #columns: readonly Column[];
  readonly #text: (text: string) => string;

  private constructor(names: readonly string[], columns: readonly Column[], { isExact }: CsvOptions) {
    this.#text = isExact ? csvExactCell : csvTextCell;
    this.header = `${names.map((name) => this.#text(name)).join(',')}\r\n`;
    this.#columns = columns;
  }

  /** Columns by field paths, such as `email`, `address.city`, `` `first.name` `` and `__path__`. Throws a TypeError that names a wrong one. */
  static ofPaths(paths: readonly string[], options: CsvOptions): CsvTable {
    const columns = paths.map((path): Column => {
      const own = documentColumns.find((name) => name === path);
      if (own) return (row, table) => table.#own(row, own);
      const segments = fieldSegments(path);
      if (!segments) throw new TypeError(`${path}: not a field path`);
      return (row, table) => table.#cell(valueAt(row.fields, segments), row.root);
    });
    return new CsvTable(paths, columns, options);
  }

  /** What is known of each document, and a column for each top-level field. */
  static ofSchema(schema: TableSchema, options: CsvOptions): CsvTable {
    const names = schema.columns.map(({ name }) => name);
    const known = new Set(names);
    const columns: readonly Column[] = [
      ...documentColumns.map(
        (name): Column =>
          (row, table) =>
            table.#own(row, name),
      ),
      ...names.map(
        (name): Column =>
          (row, table) =>
            table.#cell(row.fields[name], row.root),
      ),
    ];
    const all = [...documentColumns, ...names];
    if (!schema.hasOther) return new CsvTable(all, columns, options);
    const other: Column = ({ fields, root }, table) => table.#text(plainObject(fields, root, known));
    return new CsvTable([...all, otherColumn], [...columns, other], options);
  }

  line(row: ExportRow): string {
    return `${this.#columns.map((column) => column(row, this)).join(',')}\r\n`;
  }

  #own(row: ExportRow, name: (typeof documentColumns)[number]): string {
    const value = documentColumn(row, name);
    return value === undefined ? '' : this.#text(value);
  }

  /** Numbers are never taken for formulas; a number may begin with a minus. */
  #cell(value: RestValue | undefined, root: string): string {
    if (value === undefined) return '';
    const typed = exportValue(value);
    switch (typed.kind) {
      case 'null':
        return '';
      case 'boolean':
      case 'double':
        return Object.is(typed.value, -0) ? '-0' : String(typed.value);
      case 'integer':
        return typed.value;
      case 'reference':
        return this.#text(referencePath(typed.value, root));
      case 'geoPoint':
      case 'vector':
      case 'array':
      case 'map':
        return this.#text(plainJson(value, root));
      default:
        return typed.value === '' ? '""' : this.#text(typed.value);
    }
  }
}

const valueAt = (fields: RestFields, [first = '', ...rest]: readonly string[]): RestValue | undefined => {
  const value = fields[first];
  if (value === undefined || rest.length === 0) return value;
  const typed = exportValue(value);
  return typed.kind === 'map' ? valueAt(typed.fields, rest) : undefined;
};
