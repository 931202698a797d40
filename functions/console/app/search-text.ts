/** The search part of an address has only text: an id or a path that looks like a number stays as it is. */
export const parseSearch = (search: string): Record<string, string> => Object.fromEntries(new URLSearchParams(search));

export const stringifySearch = (search: Readonly<Record<string, unknown>>): string => {
  const given = Object.entries(search).filter(([, value]) => value !== undefined);
  const texts = Object.fromEntries(given.map(([name, value]) => [name, String(value)]));
  return given.length === 0 ? '' : `?${new URLSearchParams(texts)}`;
};

/** A list in an address, as `paths` writes it: separated by commas, each entry encoded. */
export const listOf = (text: string | undefined): readonly string[] => (text ? text.split(',').filter(Boolean).map(decode) : []);

const decode = (text: string): string => {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
};
