/** How long any AWS call may take. Without it one lost connection would use up the function's whole time. */
export const patience = { attempts: 3, connectMs: 1_000, requestMs: 3_000 };
