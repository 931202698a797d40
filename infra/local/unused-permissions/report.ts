/** Compares what is granted with what was ever used: a permission nobody uses is one that only an intruder would. */

/** Permissions that stay although no test uses them, and why. */
export interface Kept {
  /** Of lines such as `BackupCopyRole kms:Decrypt SecretsKey purpose=passphrase`. */
  readonly lines: RegExp;
  readonly reason: string;
}

export interface Report {
  /** Granted, never used, and nobody says why. */
  readonly unused: readonly string[];
  /** Used once, and no longer granted: the record is older than the template. */
  readonly stale: readonly string[];
  /** Reasons for permissions that are used, or not granted. */
  readonly idle: readonly Kept[];
}

/**
 * Operations that give the same power over the same items: reading them one by one, many at a time or in their order; writing, emptying
 * and removing them, or asking first. Which of them a call of ours makes follows from what it finds, so where one is used all are granted.
 */
const alike: readonly (readonly string[])[] = [
  ['dynamodb:GetItem', 'dynamodb:BatchGetItem', 'dynamodb:Query'],
  ['dynamodb:PutItem', 'dynamodb:UpdateItem', 'dynamodb:DeleteItem', 'dynamodb:ConditionCheckItem'],
];

export const compare = (granted: readonly string[], used: readonly string[], kept: readonly Kept[]): Report => {
  const wasUsed = new Set(used.flatMap(equals));
  const isGranted = new Set(granted);
  const idleLines = granted.filter((line) => !wasUsed.has(line));
  return {
    unused: idleLines.filter((line) => !kept.some(({ lines }) => lines.test(line))),
    stale: used.filter((line) => !isGranted.has(line)),
    idle: kept.filter(({ lines }) => !idleLines.some((line) => lines.test(line))),
  };
};

/** The lines that one in use speaks for, itself included. */
const equals = (line: string): readonly string[] => {
  const [role, action = '', ...rest] = line.split(' ');
  const family = alike.find((actions) => actions.includes(action)) ?? [action];
  return family.map((each) => [role, each, ...rest].join(' '));
};
