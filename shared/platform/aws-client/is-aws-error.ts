/** Whether AWS refused a call with one of these error names. */
export const isAwsError = (error: unknown, ...names: readonly string[]): error is Error =>
  error instanceof Error && names.includes(error.name);
