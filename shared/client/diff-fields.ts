/** Compares two documents field by field. */
import { decodeValue, type Fields, type Value } from './firestore-value.ts';

export interface FieldChange {
  /** `address.city`, `tags[2]`; names with other characters are quoted as Firestore quotes them. */
  readonly path: string;
  readonly change: 'added' | 'changed' | 'removed';
  readonly before: Value | undefined;
  readonly after: Value | undefined;
}

interface FieldDiff {
  readonly changes: readonly FieldChange[];
  /** Values that are the same on both sides; a map or array that is the same counts once. */
  readonly unchanged: number;
}

const byName = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
const quoted = (name: string): string => (/^[A-Za-z_]\w*$/.test(name) ? name : `\`${name.replace(/[\\`]/g, '\\$&')}\``);

export const diffFields = (before: Fields = {}, after: Fields = {}): FieldDiff => {
  const changes: FieldChange[] = [];
  let unchanged = 0;
  const compare = (path: string, was: Value | undefined, is: Value | undefined): void => {
    if (was && is && isSame(was, is)) unchanged += 1;
    else if (!descend(path, was, is)) changes.push({ path, change: changeOf(was, is), before: was, after: is });
  };
  /** Compares the parts of two maps or two arrays; false if they are not both one of these. */
  const descend = (path: string, was: Value | undefined, is: Value | undefined): boolean => {
    if (!was || !is) return false;
    const [left, right] = [decodeValue(was), decodeValue(is)];
    if (left.type === 'map' && right.type === 'map') {
      for (const name of namesOf(left.fields, right.fields))
        compare(`${path}.${quoted(name)}`, own(left.fields, name), own(right.fields, name));
      return true;
    }
    if (left.type !== 'array' || right.type !== 'array') return false;
    const length = Math.max(left.values.length, right.values.length);
    for (let n = 0; n < length; n++) compare(`${path}[${n}]`, left.values[n], right.values[n]);
    return true;
  };
  for (const name of namesOf(before, after)) compare(quoted(name), own(before, name), own(after, name));
  return { changes, unchanged };
};

const changeOf = (was: Value | undefined, is: Value | undefined): FieldChange['change'] =>
  was === undefined ? 'added' : is === undefined ? 'removed' : 'changed';

/** A field may be called `constructor`. */
const own = (fields: Fields, name: string): Value | undefined => (Object.hasOwn(fields, name) ? fields[name] : undefined);

const namesOf = (a: Fields, b: Fields): readonly string[] => [...new Set([...Object.keys(a), ...Object.keys(b)])].sort(byName);

/** Whether two JSON values are the same; the order of fields does not matter, `-0` does. */
const isSame = (a: unknown, b: unknown): boolean => {
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return Object.is(a, b);
  const [names, others] = [Object.keys(a), Object.keys(b)];
  return (
    Array.isArray(a) === Array.isArray(b) &&
    names.length === others.length &&
    names.every((name) => Object.hasOwn(b, name) && isSame((a as Fields)[name], (b as Fields)[name]))
  );
};
