/** Log lines that wake someone: the text is what an alarm counts. */
export const logLines = {
  /** KMS refuses to make or open the key of a backup, and trying again does not help. */
  keyRefused: 'KMS refuses the key of a backup',
} as const;
