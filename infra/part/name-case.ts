/** Converts names of the code to names in the templates. */

/** 'backupReap', 'backup-reap', 'backup.reap' → 'BackupReap' (constructs) */
export const pascalCase = (name: string): string =>
  name.replace(/(^|[-.])(\w)/g, (_, __, letter: string) => letter.toUpperCase());

/** 'backupReap' → 'backup-reap' (alarms) */
export const kebabCase = (name: string): string => name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
