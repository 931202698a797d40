/** Log lines that wake someone: the text is what an alarm counts. */
export const logLines = {
  /** KMS refuses to make or open the key of a backup, and trying again does not help. */
  keyRefused: 'KMS refuses the key of a backup',
  /** KMS refuses the key that signs access tokens or the one that seals secrets, and trying again does not help. */
  secretsKeyRefused: 'KMS refuses a key of the service',
  /** The identity provider does not answer, or not as it should: nobody can sign in. */
  providerFailed: 'the identity provider could not be used',
  /** A schedule was due twice since its last success, and is again: whoever relies on it has no recent backup. */
  scheduleOverdue: 'no backup of a schedule has succeeded for two periods',
  /** Captures of a project fail, or do not begin: whoever relies on going back to any moment cannot, since then. */
  captureStopped: 'nothing was captured of a project for too long',
  /** A queue or stream worker ran out of time. Its answer is no error of the function, so no other alarm counts it. */
  batchTimedOut: 'the batch timed out; unfinished records will be retried',
} as const;
