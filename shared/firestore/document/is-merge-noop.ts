import { isNameable } from './field-mask.ts';
import { restDocument, sameFields, sameValues } from './rest-document.ts';
import { noFields, type RestFields, type RestValue } from './rest-value.ts';

/**
 * Whether merging an encoded document into the live one would change nothing: the live one already holds everything that
 * `fieldMask` names, with the same values. What else it holds does not matter.
 */
export const isMergeNoop = (archived: Uint8Array, live: Uint8Array): boolean =>
  sameFields(archived, live) || holdsAll(restDocument(live).fields, restDocument(archived).fields);

/** A field that no path can name is not merged at all. */
const holdsAll = (live: RestFields, wanted: RestFields): boolean =>
  Object.keys(wanted).every((name) => !isNameable(name) || holds(live[name], wanted[name] ?? {}));

const holds = (live: RestValue | undefined, wanted: RestValue): boolean => {
  if (live === undefined) return false;
  const fields = mergedOf(wanted);
  if (!fields) return sameValues({ value: live }, { value: wanted });
  const there = fieldsOf(live);
  return there !== undefined && holdsAll(there, fields);
};

/** The fields of a map that is merged field by field; undefined for what is written as a whole, as `fieldMask` has it. */
const mergedOf = (value: RestValue): RestFields | undefined => {
  const fields = fieldsOf(value);
  const names = fields && Object.keys(fields);
  return names && names.length > 0 && names.every(isNameable) ? fields : undefined;
};

/** Of a map; empty ones have none. */
const fieldsOf = ({ mapValue }: RestValue): RestFields | undefined =>
  mapValue === undefined ? undefined : ((mapValue as { readonly fields?: RestFields }).fields ?? noFields());
