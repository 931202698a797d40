import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ReleaseContext } from './artifact.ts';
import { functionFile } from './function-file.ts';
import { zipFiles } from './pack/zip.ts';

const built = new WeakMap<ReleaseContext, Promise<Readonly<Record<string, Buffer>>>>();

/** The bundle of each entry as Lambda takes it, by name of the file. The construct and the template contain the same. */
export const functionZips = (context: ReleaseContext): Promise<Readonly<Record<string, Buffer>>> => {
  const known = built.get(context);
  if (known) return known;
  const zips = zipAll(context);
  built.set(context, zips);
  return zips;
};

const zipAll = async (context: ReleaseContext): Promise<Readonly<Record<string, Buffer>>> => {
  const { entries, folderOf } = await context.functions();
  return Object.fromEntries(
    entries.map((entry) => {
      const folder = folderOf(entry);
      const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((file) => file.isFile());
      const contents = files.map((file) => [
        join(file.parentPath, file.name).slice(folder.length + 1),
        readFileSync(join(file.parentPath, file.name)),
      ]);
      return [functionFile(entry), zipFiles(Object.fromEntries(contents))];
    }),
  );
};
