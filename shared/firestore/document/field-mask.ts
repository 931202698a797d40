import { broken, MessageReader } from '../wire/message-reader.ts';

/** Firestore nests 20 levels; deeper input must not exhaust the stack. */
const depthMax = 100;

/**
 * The field paths of a merge: of maps each field, so that other fields of the target stay; of other values, including arrays and
 * empty maps, the whole value. Matches `set` with `merge` of the official client.
 */
export const fieldMask = (document: Uint8Array): readonly string[] => {
  const reader = new MessageReader(document);
  const end = reader.bytes.length;
  const paths: string[] = [];
  while (reader.next(end)) {
    if (reader.field === 2 && reader.type === 2) addEntry(reader, { end: reader.stop(end), prefix: '', paths, depth: 0 });
    else reader.skip(end);
  }
  return paths;
};

/** A field name as a path segment: plain, or quoted in backticks. */
export const pathSegment = (name: string): string => (plain.test(name) ? name : `\`${name.replaceAll(/[\\`]/g, '\\$&')}\``);

const plain = /^[a-zA-Z_][a-zA-Z_0-9]*$/;

/** Names between double underscores are reserved by Firestore. No path can address them or an empty name. */
export const isNameable = (name: string): boolean =>
  name !== '' && !(name.length >= 4 && name.startsWith('__') && name.endsWith('__'));

/** Adds the paths of a map entry; false if no path can address it. */
const addEntry = (
  reader: MessageReader,
  {
    end,
    prefix,
    paths,
    depth,
  }: { readonly end: number; readonly prefix: string; readonly paths: string[]; readonly depth: number },
): boolean => {
  if (depth > depthMax) throw broken();
  let name = '';
  let [valueStart, valueEnd] = [end, end];
  while (reader.next(end)) {
    if (reader.type !== 2 || reader.field > 2) {
      reader.skip(end);
      continue;
    }
    const stop = reader.stop(end);
    if (reader.field === 1) name = reader.text(stop);
    else [valueStart, valueEnd] = [reader.at, stop];
    reader.at = stop;
  }
  if (!isNameable(name)) return false;
  const path = `${prefix}${pathSegment(name)}`;
  reader.at = valueStart;
  if (!addFields(reader, { end: valueEnd, path, paths, depth })) paths.push(path);
  reader.at = end;
  return true;
};

/**
 * Adds the paths below a value; false if the value is written whole: not a map, an empty map, or a reserved one such as a vector.
 */
const addFields = (
  reader: MessageReader,
  { end, path, paths, depth }: { readonly end: number; readonly path: string; readonly paths: string[]; readonly depth: number },
): boolean => {
  let mapEnd = -1;
  let mapStart = end;
  // The last of several value types wins, as in protobuf.
  while (reader.next(end)) {
    mapEnd = -1;
    if (reader.field !== mapValue || reader.type !== 2) {
      reader.skip(end);
      continue;
    }
    mapEnd = reader.stop(end);
    mapStart = reader.at;
    reader.at = mapEnd;
  }
  if (mapEnd < 0) return false;
  const before = paths.length;
  reader.at = mapStart;
  while (reader.next(mapEnd)) {
    const isEntry = reader.field === 1 && reader.type === 2;
    if (isEntry && addEntry(reader, { end: reader.stop(mapEnd), prefix: `${path}.`, paths, depth: depth + 1 })) continue;
    paths.length = before;
    return false;
  }
  return paths.length > before;
};

/** Field number in google.firestore.v1.Value. */
const mapValue = 6;
