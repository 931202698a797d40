import { ByteWriter, ParquetWriter, type SchemaElement } from 'hyparquet-writer';
import type { RestFields, RestValue } from '../firestore/index.ts';
import { documentColumn, documentColumns, type ExportRow, referencePath } from './export-row.ts';
import { exportValue, microsecondsOf } from './export-value.ts';
import { plainJson, plainObject } from './plain-json.ts';
import { type ColumnType, otherColumn, type TableColumn } from './table-schema.ts';

/** The documents of a table, or of a range of it, as one Parquet file. */
interface ParquetSchema {
  readonly columns: readonly TableColumn[];
  readonly hasOther: boolean;
}

interface Column {
  readonly name: string;
  readonly elements: readonly SchemaElement[];
  readonly cell: (row: ExportRow) => unknown;
}

/**
 * Writes a Parquet file row group by row group: typed columns, maps as structs, arrays and vectors as lists, times in microseconds (UTC),
 * references as texts. Every column may be null; a missing field is null. Memory holds the rows of one row group.
 */
export class ParquetFile {
  /** Rows since the last row group. */
  rows = 0;
  readonly #columns: readonly Column[];
  #data: unknown[][];
  readonly #bytes = new ByteWriter();
  readonly #writer: ParquetWriter;

  constructor({ columns, hasOther }: ParquetSchema) {
    this.#columns = columnsOf(columns, hasOther);
    this.#data = this.#columns.map(() => []);
    const schema = [{ name: 'schema', num_children: this.#columns.length }, ...this.#columns.flatMap(({ elements }) => elements)];
    this.#writer = new ParquetWriter({ writer: this.#bytes, schema, createdBy: 'backup-management-service' });
  }

  add(row: ExportRow): void {
    for (const [n, { cell }] of this.#columns.entries()) this.#data[n]?.push(cell(row));
    this.rows += 1;
  }

  /** Ends the row group; returns the bytes of the file since the last call. */
  takeRowGroup(): Buffer {
    if (this.rows > 0) {
      const columnData = this.#columns.map(({ name }, n) => ({ name, data: this.#data[n] ?? [] }));
      this.#writer.write({ columnData, rowGroupSize: this.rows });
      this.#data = this.#columns.map(() => []);
      this.rows = 0;
    }
    return this.#take();
  }

  /** The rest of the file; nothing can be added to it any more. */
  finish(): Buffer {
    const last = this.takeRowGroup();
    this.#writer.finish();
    return Buffer.concat([last, this.#take()]);
  }

  #take(): Buffer {
    const bytes = Buffer.from(this.#bytes.getBytes().buffer, 0, this.#bytes.index);
    // A buffer once grown would stay as large as the largest row group, in every table.
    this.#bytes.buffer = new ArrayBuffer(1 << 10);
    this.#bytes.view = new DataView(this.#bytes.buffer);
    this.#bytes.index = 0;
    return bytes;
  }
}

const columnsOf = (columns: readonly TableColumn[], hasOther: boolean): readonly Column[] => {
  const known = new Set(columns.map(({ name }) => name));
  const own = documentColumns.map((name): Column => {
    const isTime = name.endsWith('Time__');
    return {
      name,
      elements: elementsOf(name, { kind: isTime ? 'timestamp' : 'string' }),
      cell: (row) => {
        const value = documentColumn(row, name);
        return value === undefined ? undefined : isTime ? microsecondsOf(value) : value;
      },
    };
  });
  const fields = columns.map(
    ({ name, type }): Column => ({
      name,
      elements: elementsOf(name, type),
      cell: (row) => cellOf(type, row.fields[name], row.root),
    }),
  );
  const other: Column = {
    name: otherColumn,
    elements: elementsOf(otherColumn, { kind: 'json' }),
    cell: ({ fields: all, root }) => otherFields(all, root, known),
  };
  return [...own, ...fields, ...(hasOther ? [other] : [])];
};

const otherFields = (fields: RestFields, root: string, known: ReadonlySet<string>): string | undefined => {
  const text = plainObject(fields, root, known);
  return text === '{}' ? undefined : text;
};

const optional = 'OPTIONAL' as const;
const texts = {
  type: 'BYTE_ARRAY',
  converted_type: 'UTF8',
  logical_type: { type: 'STRING' },
  repetition_type: optional,
} as const;
const double = { type: 'DOUBLE', repetition_type: optional } as const;

/** The schema of a column, in the order of a Parquet footer: a group, then its parts. */
const elementsOf = (name: string, type: ColumnType): SchemaElement[] => {
  switch (type.kind) {
    case 'boolean':
      return [{ name, type: 'BOOLEAN', repetition_type: optional }];
    case 'integer':
      return [{ name, type: 'INT64', repetition_type: optional }];
    case 'double':
      return [{ name, ...double }];
    case 'timestamp':
      return [
        {
          name,
          type: 'INT64',
          converted_type: 'TIMESTAMP_MICROS',
          logical_type: { type: 'TIMESTAMP', isAdjustedToUTC: true, unit: 'MICROS' },
          repetition_type: optional,
        },
      ];
    case 'bytes':
      return [{ name, type: 'BYTE_ARRAY', repetition_type: optional }];
    case 'geoPoint':
      return [
        { name, repetition_type: optional, num_children: 2 },
        { name: 'latitude', ...double },
        { name: 'longitude', ...double },
      ];
    case 'vector':
      return listOf(name, { kind: 'double' });
    case 'list':
      return listOf(name, type.element);
    case 'struct':
      return [
        { name, repetition_type: optional, num_children: type.columns.length },
        ...type.columns.flatMap((part) => elementsOf(part.name, part.type)),
      ];
    default:
      return [{ name, ...texts }];
  }
};

const listOf = (name: string, element: ColumnType): SchemaElement[] => [
  { name, repetition_type: optional, num_children: 1, converted_type: 'LIST', logical_type: { type: 'LIST' } },
  { name: 'list', repetition_type: 'REPEATED', num_children: 1 },
  ...elementsOf('element', element),
];

/** The value of a cell as the writer takes it. */
const cellOf = (type: ColumnType, value: RestValue | undefined, root: string): unknown => {
  if (value === undefined) return undefined;
  const typed = exportValue(value);
  if (typed.kind === 'null') return undefined;
  if (type.kind === 'json') return plainJson(value, root);
  switch (typed.kind) {
    case 'integer':
      return type.kind === 'double' ? Number(typed.value) : BigInt(typed.value);
    case 'timestamp':
      return microsecondsOf(typed.value);
    case 'bytes':
      return Buffer.from(typed.value, 'base64');
    case 'reference':
      return referencePath(typed.value, root);
    case 'geoPoint':
      return { latitude: typed.latitude, longitude: typed.longitude };
    case 'vector':
      return typed.values;
    case 'array':
      return type.kind === 'list' ? typed.values.map((element) => cellOf(type.element, element, root)) : undefined;
    case 'map':
      return type.kind === 'struct' ? structOf(type.columns, typed.fields, root) : undefined;
    default:
      return typed.value;
  }
};

const structOf = (columns: readonly TableColumn[], fields: RestFields, root: string): Record<string, unknown> => {
  const struct = Object.create(null) as Record<string, unknown>;
  for (const { name, type } of columns) struct[name] = cellOf(type, fields[name], root);
  return struct;
};
