/** What is given to a process each: a test file, or one that runs several. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** Files of these folders take a second or two and call nobody else: they share processes, so many of a folder in one. */
const sharing = /^test\/(shared|functions)\//;
const sharingMax = 8;

/** The paths of processes to start for these files, which are named from the root; those that it makes it puts into `dir`. */
export const entriesOf = (files: readonly string[], root: string, dir: string, timeoutMs: number): readonly string[] => {
  mkdirSync(dir, { recursive: true });
  const folders = Map.groupBy(files, (file) => (sharing.test(file) ? dirname(file) : file));
  return [...folders].flatMap(([folder, all]) =>
    sharesOf(all).map((share, n) => {
      const [first = '', ...more] = share.map((file) => join(root, file));
      if (more.length === 0) return first;
      const entry = join(dir, `${folder.replaceAll('/', '-')}-${n + 1}.mjs`);
      writeFileSync(
        entry,
        `import { runTogether } from ${runner};\nawait runTogether(${JSON.stringify(share)}, ${timeoutMs});\n`,
      );
      return entry;
    }),
  );
};

const runner = JSON.stringify(new URL('shared-process.ts', import.meta.url));

const sharesOf = (files: readonly string[]): readonly (readonly string[])[] => {
  const count = Math.ceil(files.length / sharingMax);
  return Array.from({ length: count }, (_, n) => files.filter((_file, at) => at % count === n));
};
