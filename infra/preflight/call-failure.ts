/** Why a call failed, without a stack trace. A missing permission names the action. */
export const failureReason = (error: unknown): string => {
  const { name, message, code } = error as { name?: string; message?: string; code?: string };
  const text = (message ?? '').replaceAll(/\s+/g, ' ').slice(0, 300);
  return [code ?? name ?? 'Error', text].filter((part) => part !== '').join(': ');
};

export const isDenied = (error: unknown): boolean =>
  /AccessDenied|NotAuthorized|UnauthorizedOperation/.test((error as { name?: string }).name ?? '');

/** AWS has no such endpoint, so the service does not exist in the region. */
export const isAbsent = (error: unknown): boolean => (error as { code?: string }).code === 'ENOTFOUND';
