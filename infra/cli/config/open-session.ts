/** The client of one run: its credentials, its organization, and the renewal of a session that has ended. */
import { ApiFailure, type Client, type DataOf, openClient } from '../../../shared/client/index.ts';
import { version } from '../../../shared/contract/version.ts';
import { badInput, CliFailure } from '../base/cli-failure.ts';
import { exitCodes } from '../base/exit-codes.ts';
import { matchName } from '../base/match-name.ts';
import { type ConfigFile, type Profile, urlOf } from './config-file.ts';
import { type Settings, unknownProfile } from './settings.ts';

export interface Session {
  readonly url: string;
  /** Calls without an organization. */
  readonly anywhere: Client;
  /** Calls of the chosen organization. */
  organization(): Promise<Client>;
  /** Undefined if none is chosen and the caller does not belong to exactly one. */
  organizationId(): Promise<string | undefined>;
}

/** Unsigned calls, such as those that sign in. */
export const openPublicClient = (url: string): Client => openClient({ baseUrl: url, headers: { 'user-agent': userAgent } });

const userAgent = `bms/${version}`;

export const openSession = (settings: Settings, file: ConfigFile): Session => {
  const { url, credentials, profile: name } = settings;
  const config = file.read();
  if (credentials.from === 'profile' && name !== url && !config.profiles[name]) throw badInput(unknownProfile(config, name));
  let profile: Profile = credentials.from === 'environment' ? {} : (config.profiles[name] ?? {});
  if (credentials.from === 'environment') profile = { accessToken: credentials.token, apiKey: credentials.apiKey };
  if (profile.accessToken === undefined && profile.apiKey === undefined)
    throw new CliFailure(exitCodes.denied, `not signed in to ${url}: run bms login, or set BMS_API_KEY`);

  const renew = async (): Promise<boolean> => {
    if (credentials.from === 'environment' || profile.refreshToken === undefined) return false;
    const renewed = await renewProfile(file, settings, profile);
    if (renewed) profile = renewed;
    return renewed !== undefined;
  };
  const open = (organizationId?: string): Client =>
    openClient({
      baseUrl: url,
      token: () => profile.accessToken,
      apiKey: () => profile.apiKey,
      organizationId,
      headers: { 'user-agent': userAgent },
      onUnauthorized: renew,
    });
  const anywhere = open();
  let organizationId: Promise<string | undefined> | undefined;
  const findOrganization = (): Promise<string | undefined> => {
    organizationId ??= chooseOrganization(settings.organization, anywhere, profile.apiKey !== undefined);
    return organizationId;
  };
  return {
    url,
    anywhere,
    organizationId: findOrganization,
    organization: async () => {
      const id = await findOrganization();
      // A key alone is enough: it belongs to one organization.
      if (id === undefined && profile.apiKey !== undefined) return anywhere;
      if (id === undefined) throw badInput('which organization? Run bms orgs use <name>, or add --organization');
      return open(id);
    },
  };
};

/** Undefined if the session has ended. Another command may have renewed it meanwhile. */
const renewProfile = async (
  file: ConfigFile,
  { url, profile: name }: Pick<Settings, 'url' | 'profile'>,
  used: Profile,
): Promise<Profile | undefined> => {
  let renewed: Profile | undefined;
  await file.update(async (config) => {
    // The name may have got another address meanwhile.
    const stored = urlOf(config, name) === url ? config.profiles[name] : undefined;
    if (stored?.accessToken !== undefined && stored.accessToken !== used.accessToken) renewed = stored;
    if (renewed || stored?.refreshToken === undefined) return config;
    const body = { refreshToken: stored.refreshToken };
    const tokens = await openPublicClient(url)
      .request('POST /auth/refresh', { body })
      .catch((error: unknown) => {
        if (error instanceof ApiFailure && error.status === 401) return undefined;
        throw error;
      });
    if (!tokens) return config;
    renewed = { ...stored, accessToken: tokens.accessToken, refreshToken: tokens.refreshToken };
    return { ...config, profiles: { ...config.profiles, [name]: renewed } };
  });
  return renewed;
};

type Membership = DataOf<'GET /organizations'>[number];

const chooseOrganization = async (wanted: string | undefined, client: Client, isKey: boolean): Promise<string | undefined> => {
  if (wanted !== undefined && /^org_[0-9A-Z]{26}$/.test(wanted)) return wanted;
  // A key cannot list organizations.
  if (isKey && wanted !== undefined)
    throw badInput('with an API key, --organization and BMS_ORGANIZATION take an id (org_…); they may also be absent');
  if (isKey) return undefined;
  const found: Membership[] = [];
  for await (const one of client.list('GET /organizations')) found.push(one);
  if (wanted === undefined) return found.length === 1 ? found[0]?.id : undefined;
  return matchOrganization(found, wanted).id;
};

export const matchOrganization = (found: readonly Membership[], wanted: string): Membership =>
  matchName('organization', { wanted, found, namedOf: ({ id, name, slug }) => ({ id, names: [name, slug] }) });
