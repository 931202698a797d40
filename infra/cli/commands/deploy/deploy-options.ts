import { badInput } from '../../base/cli-failure.ts';

export interface DeployOptions {
  readonly from?: string | undefined;
  readonly set: readonly string[];
  readonly name: string;
  readonly diff?: boolean | undefined;
  readonly templateOnly?: boolean | undefined;
  readonly destroy?: boolean | undefined;
  readonly bucket?: string | undefined;
  readonly bucketOwner?: string | undefined;
  readonly skipPreflight?: boolean | undefined;
  readonly yes?: boolean | undefined;
  readonly profile?: string | undefined;
  readonly region?: string | undefined;
}

/** As the service accepts it; longer ones would make the name of a role too long. */
const namePattern = /^[a-z][a-z0-9-]{0,39}$/i;

/** Refuses options that contradict each other, before anything is read. */
export const checkDeployOptions = ({ from, name, diff, templateOnly, destroy, set }: DeployOptions): void => {
  const modes = Object.entries({ '--diff': diff, '--template-only': templateOnly, '--destroy': destroy }).filter(
    ([, isOn]) => isOn,
  );
  if (modes.length > 1) throw badInput(`${modes.map(([flag]) => flag).join(' and ')} exclude each other`);
  if (destroy && (from !== undefined || set.length > 0)) throw badInput('--destroy needs neither --from nor --set');
  if (!destroy && from === undefined) throw badInput('--from is missing: the folder or https address of a release');
  if (!namePattern.test(name)) throw badInput('--name must begin with a letter and have at most 40 letters, digits and hyphens');
};

interface Known {
  readonly AllowedValues?: readonly string[];
}

/** `identityClientId=x` → `{ IdentityClientId: 'x' }`, for parameters that the template has. */
export const readSet = (words: readonly string[], known: Readonly<Record<string, Known>>): Readonly<Record<string, string>> =>
  Object.fromEntries(
    words.map((word) => {
      const [, setting = '', value = ''] = /^(\w+)=(.*)$/s.exec(word) ?? [];
      const name = `${setting.slice(0, 1).toUpperCase()}${setting.slice(1)}`;
      const parameter = known[name];
      if (!parameter || name.startsWith('Asset'))
        throw badInput(`--set ${setting || word}: is no setting of the template; it has ${settingsOf(known).join(', ')}`);
      const { AllowedValues: allowed } = parameter;
      if (allowed && !allowed.includes(value)) throw badInput(`--set ${setting}: must be one of ${allowed.join(', ')}`);
      return [name, value];
    }),
  );

/** The settings that the template has as parameters. */
export const settingsOf = (known: Readonly<Record<string, Known>>): readonly string[] =>
  Object.keys(known)
    .filter((name) => !name.startsWith('Asset'))
    .map(settingOf);

export const settingOf = (parameter: string): string => `${parameter.slice(0, 1).toLowerCase()}${parameter.slice(1)}`;
