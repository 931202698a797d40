/** Flags win over variables, and variables over the config file. */
import { badInput } from '../base/cli-failure.ts';
import { type Config, type ConfigFile, type Profile, urlOf } from './config-file.ts';

/** Options of every command. */
export interface GlobalOptions {
  readonly profile?: string | undefined;
  readonly url?: string | undefined;
  readonly organization?: string | undefined;
  readonly json?: boolean | undefined;
  readonly color?: boolean | undefined;
  readonly quiet?: boolean | undefined;
  readonly insecure?: boolean | undefined;
}

export interface Settings {
  /** The name of the profile in the config file, whether or not it exists. */
  readonly profile: string;
  /** Without a trailing slash. */
  readonly url: string;
  /** Id, name or slug. */
  readonly organization: string | undefined;
  readonly credentials: Credentials;
}

/** Credentials of the environment are used as they are; those of a profile can be renewed. */
export type Credentials =
  | { readonly from: 'environment'; readonly token?: string | undefined; readonly apiKey?: string | undefined }
  | { readonly from: 'profile' };

type Variables = Readonly<Record<string, string | undefined>>;

export const readSettings = (options: GlobalOptions, env: Variables, file: ConfigFile): Settings => {
  const config = file.read();
  const { profile, url } = chooseProfile(
    config,
    options.profile ?? (env.BMS_PROFILE || undefined),
    options.url ?? (env.BMS_URL || undefined),
  );
  if (!options.insecure && env.BMS_INSECURE !== '1') refuseCleartext(url);
  // A profile that is asked for is meant: a key of the environment may be that of another service.
  const isNamed = (options.profile ?? env.BMS_PROFILE ?? '') !== '';
  const credentials: Credentials = isNamed ? { from: 'profile' } : credentialsIn(env);
  const organization = namedOrganization(options, env) ?? storedOrganization(config.profiles[profile], credentials);
  return { profile, url, organization, credentials };
};

/** The organization that this command names, whatever is stored. */
export const namedOrganization = ({ organization }: GlobalOptions, env: Variables): string | undefined =>
  organization ?? (env.BMS_ORGANIZATION || undefined);

/** A stored organization is that of the stored sign-in. Credentials of the environment may belong to another one. */
const storedOrganization = (profile: Profile | undefined, credentials: Credentials): string | undefined =>
  isOwnOrganization(profile, credentials) ? profile?.organizationId : undefined;

/** Whether the organization of a profile is about these credentials: without a sign-in it was chosen with a token of the environment. */
export const isOwnOrganization = (profile: Profile | undefined, credentials: Credentials): boolean =>
  credentials.from === 'profile' ||
  (credentials.apiKey === undefined && profile?.accessToken === undefined && profile?.apiKey === undefined);

/** The profile that is named; else the current one, or another, of the given address; else the current one. */
const chooseProfile = (
  config: Config,
  name: string | undefined,
  address: string | undefined,
): Pick<Settings, 'profile' | 'url'> => {
  const url = address === undefined ? undefined : serviceUrl(address);
  if (name !== undefined) {
    const stored = config.profiles[name] && urlOf(config, name);
    if (url === undefined && stored === undefined) throw badInput(unknownProfile(config, name));
    if (url !== undefined && stored !== undefined && stored !== url)
      throw badInput(`the profile ${name} is one of ${stored}; choose another name for ${url}`);
    return { profile: name, url: url ?? serviceUrl(stored ?? name) };
  }
  const { current } = config;
  if (url === undefined) {
    if (current === undefined) throw badInput('which service? Set BMS_URL, add --url, or run bms login --url https://…');
    return { profile: current, url: serviceUrl(urlOf(config, current)) };
  }
  if (current !== undefined && urlOf(config, current) === url) return { profile: current, url };
  return { profile: Object.keys(config.profiles).find((one) => urlOf(config, one) === url) ?? url, url };
};

export const unknownProfile = ({ profiles }: Config, name: string): string => {
  const names = Object.keys(profiles);
  const known = names.length === 0 ? 'there is none yet' : `there are ${names.join(', ')}`;
  return `there is no profile ${name} (${known}): bms login --profile ${name} --url https://…`;
};

/** Credentials in cleartext may only go to this machine. */
const refuseCleartext = (address: string): void => {
  const { protocol, hostname, origin } = new URL(address);
  const isLoopback = /^(?:(?:.+\.)?localhost\.?|127(?:\.\d+){3}|\[::1\])$/.test(hostname);
  if (protocol === 'http:' && !isLoopback)
    throw badInput(
      `${origin} is not encrypted: your credentials could be read on the way. Use https://, or add --insecure (BMS_INSECURE=1) if the network is trusted`,
    );
};

const credentialsIn = (env: Variables): Credentials => {
  const [token, apiKey] = [env.BMS_TOKEN || undefined, env.BMS_API_KEY || undefined];
  if (token !== undefined && apiKey !== undefined) throw badInput('set either BMS_TOKEN or BMS_API_KEY, not both');
  return token === undefined && apiKey === undefined ? { from: 'profile' } : { from: 'environment', token, apiKey };
};

/** The address of the service; an address copied from the console or the documentation of the API is accepted, too. */
export const serviceUrl = (given: string): string => {
  let url: URL;
  try {
    url = new URL(given.includes('://') ? given : `https://${given}`);
  } catch (error) {
    throw badInput('the address of the service must be a URL such as https://backups.example.com', error);
  }
  if (url.protocol !== 'https:' && url.protocol !== 'http:')
    throw badInput('the address of the service must begin with https://');
  if (url.username !== '' || url.password !== '') throw badInput('the address of the service must not contain credentials');
  const path = url.pathname.replace(/\/(?:api\/v1|console|docs)(?:\/.*)?$/, '').replace(/\/+$/, '');
  return `${url.origin}${path}`;
};
