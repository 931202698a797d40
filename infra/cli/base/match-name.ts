/** People name a resource by its id, its name, or the unique beginning of either. */
import { escapeName } from '../../archive/escape-output.ts';
import { badInput, CliFailure } from './cli-failure.ts';
import { exitCodes } from './exit-codes.ts';

export interface Named {
  readonly id: string;
  /** The first is shown. */
  readonly names: readonly string[];
}

const shownMax = 5;

/** An exact id or name wins over the beginning of another one. */
export const matchName = <T>(
  kind: string,
  { wanted, found, namedOf }: { readonly wanted: string; readonly found: readonly T[]; readonly namedOf: (one: T) => Named },
): T => {
  if (wanted.trim() === '') throw badInput(`the name of the ${kind} is empty`);
  const text = wanted.toLowerCase();
  const isExact = ({ id, names }: Named): boolean => id === wanted || names.some((name) => name.toLowerCase() === text);
  const begins = ({ id, names }: Named): boolean => [id, ...names].some((name) => name.toLowerCase().startsWith(text));
  const exact = found.filter((one) => isExact(namedOf(one)));
  const matches = exact.length > 0 ? exact : found.filter((one) => begins(namedOf(one)));
  const [only] = matches;
  if (!only) throw new CliFailure(exitCodes.notFound, `there is no ${kind} named ${JSON.stringify(wanted)}`);
  if (matches.length === 1) return only;
  const shown = matches.slice(0, shownMax).map((one) => label(namedOf(one)));
  const more = matches.length > shownMax ? ` and ${matches.length - shownMax} more` : '';
  throw badInput(`${JSON.stringify(wanted)} is the name of ${matches.length} ${kind}s: ${shown.join(', ')}${more}; use an id`);
};

const label = ({ id, names: [name] }: Named): string => (name === undefined ? id : `${id} (${escapeName(name)})`);
