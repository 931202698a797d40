import type { RestFields, RestValue } from '../firestore/index.ts';
import { documentColumn, documentColumns, type ExportRow, referencePath } from './export-row.ts';
import { exportValue } from './export-value.ts';

/**
 * A value as the JSON that people expect: integers with all their digits, times and references as texts, bytes as base64, vectors as
 * arrays. `-0` stays; NaN and infinities are texts, because JSON has none.
 */
export const plainJson = (value: RestValue, root: string): string => {
  const typed = exportValue(value);
  switch (typed.kind) {
    case 'null':
      return 'null';
    case 'boolean':
      return String(typed.value);
    case 'integer':
      return typed.value;
    case 'double':
      return doubleJson(typed.value);
    case 'reference':
      return JSON.stringify(referencePath(typed.value, root));
    case 'geoPoint':
      return `{"latitude":${doubleJson(typed.latitude)},"longitude":${doubleJson(typed.longitude)}}`;
    case 'vector':
      return `[${typed.values.map(doubleJson).join(',')}]`;
    case 'array':
      return `[${typed.values.map((element) => plainJson(element, root)).join(',')}]`;
    case 'map':
      return plainObject(typed.fields, root);
    default:
      return JSON.stringify(typed.value);
  }
};

/** Fields as one object, optionally without some of them. Names are written as they are, `__proto__` included. */
export const plainObject = (fields: RestFields, root: string, except?: ReadonlySet<string>): string =>
  `{${plainEntries(fields, root, except).join(',')}}`;

const plainEntries = (fields: RestFields, root: string, except?: ReadonlySet<string>): string[] =>
  Object.entries(fields)
    .filter(([name]) => !except?.has(name))
    .map(([name, value]) => `${JSON.stringify(name)}:${plainJson(value, root)}`);

/** A document as one line of plain NDJSON: what is known of it, then its fields. */
export const plainLine = (row: ExportRow): string => {
  const own = documentColumns.flatMap((name) => {
    const value = documentColumn(row, name);
    return value === undefined ? [] : [`"${name}":${JSON.stringify(value)}`];
  });
  return `{${[...own, ...plainEntries(row.fields, row.root)].join(',')}}`;
};

const doubleJson = (value: number): string =>
  Object.is(value, -0) ? '-0' : Number.isFinite(value) ? String(value) : `"${value}"`;
