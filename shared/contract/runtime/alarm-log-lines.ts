/** Log messages that alarms count. infra/runbook.md quotes them. */
export const logLines = {
  /** KMS permanently refuses to generate or decrypt the data key of a backup. */
  keyRefused: 'KMS refused the data key of a backup',
  /** KMS permanently refuses the token signing key or the secrets key. */
  secretsKeyRefused: 'KMS refused a key of the service',
  /** The identity provider is unavailable or rejects the client, so sign-ins fail. */
  providerFailed: 'identity provider request failed',
  /** A schedule is due again after two runs without success, so its project has no recent backup. */
  scheduleOverdue: 'schedule overdue: no backup succeeded for two periods',
  /** Captures of a project fail or do not start, so no later point in time can be restored. */
  captureStopped: 'capture stalled: no changes captured for too long',
  /** A queue or stream worker ran out of time. The partial response is not a function error, so no other alarm counts it. */
  batchTimedOut: 'batch timed out; unfinished records will be retried',
  /** In a small account. A message that returns to its queue is a new one to SQS, so no alarm on its age sees how long it waits. */
  slotAwaited: 'messages wait too long for a slot of queue workers',
} as const;
