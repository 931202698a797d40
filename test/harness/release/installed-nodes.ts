import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/** Every Node on this machine's path, one per version: released files run on all of 20, 22 and 24. */
export const installedNodes = (): readonly string[] => {
  const found = (process.env.PATH ?? '').split(delimiter).map((dir) => join(dir, 'node'));
  const nodes = [process.execPath, ...found.filter((path) => existsSync(path))];
  const versions = new Map(nodes.map((node) => [execFileSync(node, ['--version'], { encoding: 'utf8' }), node]));
  return [...versions.values()];
};
