import { isNameable } from './field-mask.ts';
import { restDocument, sameFields, sameValues } from './rest-document.ts';
import { noFields, type RestFields, type RestValue } from './rest-value.ts';

/**
 * Whether merging an encoded document into the live one changes nothing: the live one already has every field of `fieldMask` with
 * the same value. Its other fields do not matter.
 */
export const isMergeNoop = (archived: Uint8Array, live: Uint8Array): boolean =>
  sameFields(archived, live) || holdsAll(restDocument(live).fields, restDocument(archived).fields);

/** Fields that no path can address are not merged. */
const holdsAll = (live: RestFields, wanted: RestFields): boolean =>
  Object.keys(wanted).every((name) => !isNameable(name) || holds(live[name], wanted[name] ?? {}));

const holds = (live: RestValue | undefined, wanted: RestValue): boolean => {
  if (live === undefined) return false;
  const fields = mergedOf(wanted);
  if (!fields) return sameValues({ value: live }, { value: wanted });
  const liveFields = fieldsOf(live);
  return liveFields !== undefined && holdsAll(liveFields, fields);
};

/** The fields of a map that is merged field by field; undefined for values written whole, as in `fieldMask`. */
const mergedOf = (value: RestValue): RestFields | undefined => {
  const fields = fieldsOf(value);
  const names = fields && Object.keys(fields);
  return names && names.length > 0 && names.every(isNameable) ? fields : undefined;
};

/** The fields of a map value; empty for an empty map. */
const fieldsOf = ({ mapValue }: RestValue): RestFields | undefined =>
  mapValue === undefined ? undefined : ((mapValue as { readonly fields?: RestFields }).fields ?? noFields());
