/** How a name of the code is written in the templates. */

/** 'backupReap' → 'BackupReap', as constructs are called. */
export const capital = (name: string): string => name.replace(/^./, (letter) => letter.toUpperCase());

/** 'backupReap' → 'backup-reap', as alarms are called. */
export const kebab = (name: string): string => name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
