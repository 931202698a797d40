import type { ErrorDetails } from '../../contract/errors.ts';

/** Names listed in the message. */
const listedMax = 5;

/** The error of a backup whose named collections all do not exist; undefined if one exists. `*` always does. */
export const missingCollections = (
  collections: readonly string[],
  unknown: readonly string[],
): { readonly message: string; readonly details: ErrorDetails } | undefined => {
  const missing = new Set(unknown);
  if (!collections.every((path) => missing.has(path))) return undefined;
  const names = [...new Set(collections)];
  const more = names.length > listedMax ? ` and ${names.length - listedMax} more` : '';
  const listed = `${names.slice(0, listedMax).join(', ')}${more}`;
  return {
    message: `None of the named collections exists in the source: ${listed}. A subcollection is named by its whole path, such as users/ada/orders`,
    details: { names: names.slice(0, 100), count: names.length },
  };
};
