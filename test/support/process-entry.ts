/** What is given to a process each: a test file, or one that runs several. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** Files that may run in one process, one after the other: so many at most. */
interface Room {
  readonly name: string;
  readonly sharingMax: number;
}

/** Files of these folders take a second or two and call nobody else: they share processes by folder. */
const sharing = /^test\/(shared|functions|infra\/local\/(firestore|engines))\//;

/** The room of a file, by its path from the root and its text. */
const roomOf = (file: string, text: string): Room => {
  if (sharing.test(file)) return { name: dirname(file), sharingMax: 8 };
  // Wherever they are: to load the CDK takes longer than most of those that read its templates.
  if (text.includes("/support/template.ts'")) return { name: 'test/template', sharingMax: 8 };
  // Half of what a journey computes itself is its start; the rest it waits for the stage, so few wait for each other.
  if (file.startsWith('test/journey/') && !text.includes("/support/mortal-stage.ts'"))
    return { name: 'test/journey', sharingMax: 3 };
  return { name: file, sharingMax: 1 };
};

/** The paths of processes to start for these files, which are named from the root; those that it makes it puts into `dir`. */
export const entriesOf = (files: readonly string[], root: string, dir: string, timeoutMs: number): readonly string[] => {
  mkdirSync(dir, { recursive: true });
  const placed = files.map((file) => ({ file, room: roomOf(file, textAt(join(root, file))) }));
  const entries = [...Map.groupBy(placed, ({ room }) => room.name)].flatMap(([name, all]) =>
    sharesOf(all).map((share, n) => {
      const [first = '', ...more] = share.map((file) => join(root, file));
      const waits = waiting.test(share[0] ?? '');
      if (more.length === 0) return { entry: first, waits };
      const entry = join(dir, `${name.replaceAll('/', '-')}-${n + 1}.mjs`);
      writeFileSync(
        entry,
        `import { runTogether } from ${runner};\nawait runTogether(${JSON.stringify(share)}, ${timeoutMs});\n`,
      );
      return { entry, waits };
    }),
  );
  return spread(entries);
};

/** Those of these folders mostly wait, for the stage or for processes they start; the others compute. */
const waiting = /^test\/(attack|journey|load|infra\/archive)\//;

/** Those that wait evenly among those that compute, so that there is always something to compute; they begin and end a little earlier. */
const spread = (entries: readonly { readonly entry: string; readonly waits: boolean }[]): readonly string[] => {
  const placed = [true, false].flatMap((kind) => {
    const among = entries.filter(({ waits }) => waits === kind);
    return among.map(({ entry }, n) => ({ entry, at: ((n + 0.5) / among.length) * (kind ? 0.9 : 1) }));
  });
  return placed.sort((one, other) => one.at - other.at).map(({ entry }) => entry);
};

const textAt = (path: string): string => (existsSync(path) ? readFileSync(path, 'utf8') : '');

const sharesOf = (placed: readonly { readonly file: string; readonly room: Room }[]): readonly (readonly string[])[] => {
  const count = Math.ceil(placed.length / (placed[0]?.room.sharingMax ?? 1));
  const files = placed.map(({ file }) => file);
  return Array.from({ length: count }, (_, n) => files.filter((_file, at) => at % count === n));
};

const runner = JSON.stringify(new URL('shared-process.ts', import.meta.url));
