import { unusable } from './failure.ts';

/** One backup of several that are opened together: the database under which it is served, and which backup it is. */
export interface NamedBackup {
  readonly databaseId: string;
  readonly backup: string;
}

/** The value of `--databases`, such as `monday=bkp_1,tuesday=bkp_2`. */
export const parseDatabaseList = (text: string): readonly NamedBackup[] => {
  const list = text.split(',').map((part): NamedBackup => {
    const at = part.indexOf('=');
    const [databaseId, backup] = [part.slice(0, at).trim(), part.slice(at + 1).trim()];
    if (at < 0 || backup === '') throw unusable('--databases must be like monday=bkp_…,tuesday=bkp_…');
    if (!isDatabaseId(databaseId))
      throw unusable('--databases: the id of a database has 4 to 63 lower-case letters, digits and hyphens, or is (default)');
    return { databaseId, backup };
  });
  if (new Set(list.map(({ databaseId }) => databaseId)).size < list.length)
    throw unusable('--databases: each database needs an id of its own');
  return list;
};

/** As Firestore requires it. */
const isDatabaseId = (text: string): boolean => text === '(default)' || /^[a-z][a-z\d-]{2,61}[a-z\d]$/.test(text);
