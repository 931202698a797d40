/** Errors of the API name fields. A person knows the flags of the command. */
import type { Command } from 'commander';

/** Fields whose flag has another name. */
const flagNames: Readonly<Record<string, readonly string[]>> = {
  projectId: ['project'],
  targetProjectId: ['target'],
  storageDestinationId: ['storage'],
  safetyStorageDestinationId: ['safety-storage'],
  defaultStorageId: ['storage'],
  backupId: ['backup'],
  scheduleId: ['schedule'],
  path: ['document'],
  pointInTime: ['at'],
  excludeCollections: ['exclude'],
  documentIds: ['documents', 'document'],
  includeAuthUsers: ['users'],
  retentionDays: ['retention'],
  retentionPolicy: ['keep'],
  captureIntervalSeconds: ['interval'],
  auditDays: ['audit'],
  backupTimeoutMinutes: ['timeout'],
  maxWritesPerSecond: ['max-writes', 'rate'],
  mergeMode: ['mode'],
  allowedAddresses: ['addresses', 'address', 'from'],
  projectIds: ['projects', 'project'],
  permissions: ['permissions', 'scopes', 'scope'],
  expiresAt: ['expires', 'expires-at'],
};

/** The message with the flag of the command in place of the field; unchanged if the command has none for it. */
export const nameFlag = (message: string, field: unknown, command: Command): string => {
  if (typeof field !== 'string') return message;
  const last =
    field
      .replace(/\[\d+\]|\.\d+/g, '')
      .split('.')
      .at(-1) ?? field;
  const kebab = last.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
  const names = [...(flagNames[last] ?? []), kebab];
  const flag = names.find((name) => command.options.some(({ long }) => long === `--${name}`));
  if (flag !== undefined) return message.replace(field, `--${flag}`);
  const argument = names.find((name) => command.registeredArguments.some((one) => one.name() === name));
  return argument === undefined ? message : message.replace(field, `<${argument}>`);
};
