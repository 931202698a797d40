import { execFileSync } from 'node:child_process';

/** Throws unless everything is committed: what is released can then be built again from its commit. */
export const refuseChanges = (root: string): void => {
  const changes = execFileSync('git', ['status', '--porcelain'], { cwd: root, encoding: 'utf8' }).trimEnd();
  if (changes !== '') throw new Error(`The tree has changes that are not committed:\n${changes}\nCommit or stash them first.`);
};
