/** Words of the overview, apart from its schemas: the console's first page needs no validator. */
export const protections = ['protected', 'at_risk', 'unprotected'] as const;

/** Orders of the projects; with a minus sign it is reversed. `protection` has the least protected first. */
export const projectSorts = ['protection', 'name', 'lastBackup', 'lastRestoreTest'] as const;
