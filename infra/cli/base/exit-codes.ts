/** How the command ends. Scripts rely on these numbers: never change one. */
export const exitCodes = {
  ok: 0,
  /** The service refused the call, or the job did not complete. */
  failed: 1,
  /** Wrong arguments, an ambiguous name, or input that the service rejects as invalid. */
  badInput: 2,
  /** Not signed in, or not permitted. */
  denied: 3,
  notFound: 4,
  /** No response, or the service is temporarily unavailable. */
  unreachable: 5,
  /** In place of `failed`, of a comparison whose `failed` means a difference. */
  notCompared: 128,
  interrupted: 130,
} as const;
export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];
