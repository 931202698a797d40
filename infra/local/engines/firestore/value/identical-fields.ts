import { WireReader } from '../proto/wire-reader.ts';
import { type Entries, readEntries } from './map-entries.ts';
import { valueField } from './value.ts';

/** Whether two documents' fields are identical, including types, in any order. */
export const identicalFields = (a: Uint8Array, b: Uint8Array): boolean => {
  // Reordering does not change the size.
  if (a.length !== b.length) return false;
  return Buffer.compare(a, b) === 0 || identicalEntries(readEntries(a, 2), readEntries(b, 2));
};

const identicalEntries = (a: Entries, b: Entries): boolean => {
  if (a.size !== b.size) return false;
  for (const [name, value] of a) {
    const other = b.get(name);
    if (!other || !identicalValues(value, other)) return false;
  }
  return true;
};

const identicalValues = (a: Uint8Array, b: Uint8Array): boolean => {
  if (a.length !== b.length) return false;
  if (Buffer.compare(a, b) === 0) return true;
  const x = contentOf(a);
  const y = contentOf(b);
  if (!x || !y || x.field !== y.field) return false;
  if (x.field === valueField.map) return identicalEntries(readEntries(x.content, 1), readEntries(y.content, 1));
  if (x.field !== valueField.array) return false;
  const [xs, ys] = [elements(x.content), elements(y.content)];
  return xs.length === ys.length && xs.every((element, i) => identicalValues(element, ys[i] ?? empty));
};

/** The content of a map or an array. */
const contentOf = (value: Uint8Array): { field: number; content: Uint8Array } | undefined => {
  const reader = new WireReader(value);
  if (!reader.next() || reader.type !== 2 || reader.stop !== value.length) return undefined;
  return { field: reader.field, content: reader.slice() };
};

const elements = (array: Uint8Array): Uint8Array[] => {
  const found: Uint8Array[] = [];
  const reader = new WireReader(array);
  while (reader.next()) if (reader.field === 1 && reader.type === 2) found.push(reader.slice());
  return found;
};

const empty = new Uint8Array();
