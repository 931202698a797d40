/** Compares granted permissions with used ones. A permission that is never used only helps an attacker. */

/** Permissions that are kept although no test uses them, with the reason. */
export interface PermissionException {
  /** Matches lines such as `BackupCopyRole kms:Decrypt SecretsKey purpose=passphrase`. */
  readonly lines: RegExp;
  readonly reason: string;
}

export interface Report {
  /** Granted, never used, without a reason. */
  readonly unused: readonly string[];
  /** Recorded as used but no longer granted: the record is older than the template. */
  readonly stale: readonly string[];
  /** Exceptions for permissions that are used or not granted. */
  readonly idle: readonly PermissionException[];
}

/**
 * Actions with equivalent access to the same items: read singly, in batches or by query; put, update, delete or check. Which one
 * a call uses depends on the data, so all are granted where one is used.
 */
const alike: readonly (readonly string[])[] = [
  ['dynamodb:GetItem', 'dynamodb:BatchGetItem', 'dynamodb:Query'],
  ['dynamodb:PutItem', 'dynamodb:UpdateItem', 'dynamodb:DeleteItem', 'dynamodb:ConditionCheckItem'],
];

export const compare = (granted: readonly string[], used: readonly string[], kept: readonly PermissionException[]): Report => {
  const wasUsed = new Set(used.flatMap(equals));
  const isGranted = new Set(granted);
  const idleLines = granted.filter((line) => !wasUsed.has(line));
  return {
    unused: idleLines.filter((line) => !kept.some(({ lines }) => lines.test(line))),
    stale: used.filter((line) => !isGranted.has(line)),
    idle: kept.filter(({ lines }) => !idleLines.some((line) => lines.test(line))),
  };
};

/** All lines that count as used when this line is used, itself included. */
const equals = (line: string): readonly string[] => {
  const [role, action = '', ...rest] = line.split(' ');
  const family = alike.find((actions) => actions.includes(action)) ?? [action];
  return family.map((each) => [role, each, ...rest].join(' '));
};
