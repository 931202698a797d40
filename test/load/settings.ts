/** What whoever starts a load may choose: `npm run load -- --minutes 60`. */
import { parseArgs } from 'node:util';

export interface LoadSettings {
  readonly minutes: number;
  readonly organizations: number;
  /** At their paperwork, in each organization, each with one call at a time. */
  readonly people: number;
  /** Calls that only read, between two changes of a person. */
  readonly looks: number;
  /** In each organization; on each a job is always under way. */
  readonly projects: number;
  /** In each project at the start. */
  readonly documents: number;
  /** How often the stage is killed and started again, at even distances. */
  readonly restarts: number;
}

const byDefault: LoadSettings = { minutes: 2, organizations: 4, people: 2, looks: 4, projects: 1, documents: 500, restarts: 1 };

/** Throws one line that names the choice. */
export const readLoadSettings = (args: readonly string[]): LoadSettings => {
  const options = Object.fromEntries(Object.keys(byDefault).map((name) => [name, { type: 'string' as const }]));
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
  return Object.fromEntries(Object.entries(byDefault).map(read)) as unknown as LoadSettings;
};

const leastOf = (name: string): number => (name === 'restarts' || name === 'looks' ? 0 : 1);
