/**
 * Several test files in one process, one after the other. Starting a process and loading the SDKs takes 0.4 s of CPU, more than most
 * files need for their tests; what is installed is loaded once, and all that is ours anew for each file: no file sees
 * what another left in a module, a variable of the environment or a mock.
 */
import { registerHooks } from 'node:module';
import { mock, suite } from 'node:test';

const root = new URL('../..', import.meta.url).href;
const isOurs = (url: string): boolean => url.startsWith(root) && !url.includes('/node_modules/');

/** What a file leaves open must not hold up the others for longer. */
const lingerMs = 30_000;

/** Runs the files, named by their paths from the root: each is a suite of that name. */
export const runTogether = async (files: readonly string[], timeoutMs: number): Promise<void> => {
  registerHooks({
    resolve: (specifier, context, next) => {
      const found = next(specifier, context);
      // Whatever a module of ours imports of ours belongs to the same file.
      const { search } = new URL(context.parentURL ?? root);
      return search && isOurs(found.url) ? { ...found, url: new URL(search, found.url).href } : found;
    },
  });
  let underWay: string | undefined;
  process.once('exit', () => {
    if (underWay) console.error(`the process ended in the middle of ${underWay}`);
  });
  const given = { ...process.env };
  for (const [n, file] of files.entries()) {
    underWay = file;
    await suite(file, { timeout: timeoutMs }, () => import(`${new URL(file, root)}?file=${n}`));
    mock.reset();
    for (const name of Object.keys(process.env)) if (!(name in given)) delete process.env[name];
    Object.assign(process.env, given);
  }
  underWay = undefined;
  setTimeout(() => {
    console.error(`one of these files left something open (${process.getActiveResourcesInfo()}): ${files.join(', ')}`);
    process.exit(1);
  }, lingerMs).unref();
};
