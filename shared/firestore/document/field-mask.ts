import { broken, MessageReader } from '../wire/message-reader.ts';

/** Firestore nests 20 deep; what is not of its making must not exhaust the stack. */
const depthMax = 100;

/**
 * The paths that merging an encoded document is about: of maps every field by itself, so that the target's other fields
 * stay; of anything else, arrays and empty maps too, the whole value. The same as the official client's `set` with `merge`.
 */
export const fieldMask = (document: Uint8Array): readonly string[] => {
  const reader = new MessageReader(document);
  const end = reader.bytes.length;
  const paths: string[] = [];
  while (reader.next(end)) {
    if (reader.field === 2 && reader.type === 2) addEntry(reader, reader.stop(end), '', paths, 0);
    else reader.skip(end);
  }
  return paths;
};

/** A field's name as it stands in a path: plain, or in backticks. */
export const pathSegment = (name: string): string => (plain.test(name) ? name : `\`${name.replaceAll(/[\\`]/g, '\\$&')}\``);

const plain = /^[a-zA-Z_][a-zA-Z_0-9]*$/;

/** Names between double underscores are the service's own; no path can lead to them, nor to a name that is empty. */
export const isNameable = (name: string): boolean =>
  name !== '' && !(name.length >= 4 && name.startsWith('__') && name.endsWith('__'));

/** Adds what lies below an entry of a map of fields; false if no path can name it. */
const addEntry = (reader: MessageReader, end: number, prefix: string, paths: string[], depth: number): boolean => {
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
  if (!addFields(reader, valueEnd, path, paths, depth)) paths.push(path);
  reader.at = end;
  return true;
};

/** Adds the fields of a value; false if it is to be taken as a whole: no map, an empty one, or the service's own, as a vector is. */
const addFields = (reader: MessageReader, end: number, path: string, paths: string[], depth: number): boolean => {
  let mapEnd = -1;
  let mapStart = end;
  // Of several kinds the last counts, as protobuf says.
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
    if (isEntry && addEntry(reader, reader.stop(mapEnd), `${path}.`, paths, depth + 1)) continue;
    paths.length = before;
    return false;
  }
  return paths.length > before;
};

/** Its number in google.firestore.v1.Value. */
const mapValue = 6;
