/** How long any AWS call may take. Without it one lost connection would use up the function's whole time. */
export const patience = {
  maxAttempts: 3,
  requestHandler: { connectionTimeout: 1_000, requestTimeout: 3_000, throwOnRequestTimeout: true },
};
