/** All bundles are in one folder, so that they share the libraries beside them. */
export const packagedFileOf = (entry: string): string => `${entry.replace(/\.ts$/, '').replaceAll('/', '-')}.cjs`;
