/** Why a masked copy into its source is refused: it would replace the data that it is a copy of. */
export const maskedTargetReason =
  'must be another project than that of the backup with options.transform: a masked copy is never written into its source, and a project that is connected by its number cannot be told from one that is connected by its id';

/**
 * Whether two names, `projects/p/databases/d`, may mean the same database. Google accepts the number of a project in place of its id,
 * and nothing here knows which number belongs to which id.
 */
export const mayBeSameDatabase = (a: string, b: string): boolean => {
  const [, project = '', , database] = a.toLowerCase().split('/');
  const [, otherProject = '', , otherDatabase] = b.toLowerCase().split('/');
  return database === otherDatabase && (project === otherProject || isNumber(project) !== isNumber(otherProject));
};

const isNumber = (project: string): boolean => /^\d+$/.test(project);
