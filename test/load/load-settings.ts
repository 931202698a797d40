/** Command-line options of a load: `npm run load -- --minutes 60`. */
import { parseArgs } from 'node:util';

export interface LoadSettings {
  readonly minutes: number;
  readonly organizations: number;
  /** Users per organization, each with one call at a time. */
  readonly people: number;
  /** Read calls of a user between two changes. */
  readonly reads: number;
  /** Per organization; each always runs a job. */
  readonly projects: number;
  /** Per project at the start. */
  readonly documents: number;
  /** Number of kills and restarts of the stage, evenly spaced. */
  readonly restarts: number;
}

const defaults: LoadSettings = { minutes: 2, organizations: 4, people: 2, reads: 4, projects: 1, documents: 500, restarts: 1 };

/** Throws an error of one line that names the option. */
export const readLoadSettings = (args: readonly string[]): LoadSettings => {
  const options = Object.fromEntries(Object.keys(defaults).map((name) => [name, { type: 'string' as const }]));
  const { values } = parseArgs({ args: [...args], options });
  const read = ([name, otherwise]: [string, number]): [string, number] => {
    const text = values[name];
    if (text === undefined) return [name, otherwise];
    const value = Number(text);
    const isRight =
      name === 'minutes' ? value > 0 && Number.isFinite(value) : Number.isSafeInteger(value) && value >= leastOf(name);
    if (!isRight)
      throw new Error(
        `--${name} ${text}: must be ${name === 'minutes' ? 'a number above 0' : `a whole number from ${leastOf(name)}`}`,
      );
    return [name, value];
  };
  return Object.fromEntries(Object.entries(defaults).map(read)) as unknown as LoadSettings;
};

const leastOf = (name: string): number => (name === 'restarts' || name === 'reads' ? 0 : 1);
