/** The search part of an address has only text: an id or a path that looks like a number stays as it is. */
export const parseSearch = (search: string): Record<string, string> => Object.fromEntries(new URLSearchParams(search));

export const stringifySearch = (search: Readonly<Record<string, unknown>>): string => {
  const given = Object.entries(search).filter(([, value]) => value !== undefined);
  const texts = Object.fromEntries(given.map(([name, value]) => [name, String(value)]));
  return given.length === 0 ? '' : `?${new URLSearchParams(texts)}`;
};
