/** `bms login`: stores credentials for the address of a service. */
import type { Command } from 'commander';
import { ApiFailure, type Client, openClient } from '../../../shared/client/index.ts';
import { badInput, keyRefused } from '../base/cli-failure.ts';
import { defineCommand } from '../base/define-command.ts';
import { namedOrganization } from '../config/settings.ts';
import type { Action, Context } from '../context/context.ts';
import { chooseAfterLogin, storeProfile } from '../context/store-profile.ts';
import { signInDevice } from '../login/sign-in-device.ts';
import { readSecret } from '../output/ask.ts';

interface LoginOptions {
  /** True: read from the terminal or stdin. */
  readonly apiKey?: string | true | undefined;
  readonly token?: string | true | undefined;
  readonly browser: boolean;
}

export const addLoginCommand = (program: Command, action: Action): void => {
  defineCommand(program, {
    name: 'login',
    summary: 'Sign in, or store an API key',
    description:
      'Shows a code that you approve in the console, which opens in your browser. The session lasts up to 30 days. A key or token without a value is typed on the terminal, or read from the first line of stdin.',
    examples: [
      'bms login --url https://backups.example.com',
      'bms login --profile acme --url https://backups.acme.example',
      'bms login --no-browser',
      'bms login --api-key < key.txt',
    ],
  })
    .option('--api-key [key]', 'store an API key instead (bms keys)')
    .option('--token [token]', 'store an access token instead; it is valid for an hour')
    .option('--no-browser', 'do not open a browser; only print the address and the code')
    .action(
      action(async (context, { apiKey, token, browser }: LoginOptions) => {
        if (apiKey !== undefined && token !== undefined) throw badInput('--api-key and --token exclude each other');
        if (apiKey !== undefined) await storeKey(context, await secretOf(context, apiKey, 'API key: '));
        else if (token !== undefined) await storeToken(context, await secretOf(context, token, 'Token: '));
        else await signIn(context, browser);
      }),
    );
};

const secretOf = (context: Context, given: string | true, question: string): Promise<string> =>
  given === true ? readSecret(context, question) : Promise.resolve(given);

/** The key is tried before it is stored. */
const storeKey = async (context: Context, apiKey: string): Promise<void> => {
  const { url } = context.settings();
  // That of an earlier sign-in may be another one.
  const organization = namedOrganization(context.options, context.environment.env);
  if (organization !== undefined && !organization.startsWith('org_'))
    throw badInput('with an API key, --organization takes an id (org_…); it may also be absent');
  const client = openClient({ baseUrl: url, apiKey, organizationId: organization });
  await tryKey(client);
  await storeProfile(context, { apiKey, ...(organization !== undefined && { organizationId: organization }) });
  context.output.note(`Stored the API key for ${url}`);
};

/**
 * Fails unless the service accepts the key. One that lacks a scope is accepted; one of another organization, or from a forbidden
 * address, is not. Keys that are limited to projects may not read their organization, but list their projects.
 */
const tryKey = async (client: Client): Promise<void> => {
  let refusal: ApiFailure | undefined;
  for (const route of ['GET /organizations/current', 'GET /projects'] as const)
    try {
      await client.request(route);
      return;
    } catch (error) {
      if (!(error instanceof ApiFailure)) throw error;
      if (error.status === 401) throw keyRefused(error);
      if (error.status !== 403) throw error;
      if (error.details.requiredScope !== undefined) return;
      refusal = error;
    }
  throw refusal;
};

const signIn = async (context: Context, hasBrowser: boolean): Promise<void> => {
  const { url, credentials } = context.settings();
  if (credentials.from === 'environment')
    throw badInput('BMS_API_KEY or BMS_TOKEN is set and would be used instead of the sign-in; unset it');
  const { accessToken, refreshToken } = await signInDevice(context, { hasBrowser });
  await storeProfile(context, { accessToken, refreshToken });
  const { email } = await openClient({ baseUrl: url, token: accessToken }).request('GET /auth/me');
  context.output.note(`Signed in to ${url} as ${email}`);
  if ((await chooseAfterLogin(context)) === undefined) context.output.note('Choose an organization with bms orgs use <name>.');
};

const storeToken = async (context: Context, accessToken: string): Promise<void> => {
  const { url } = context.settings();
  const { email } = await openClient({ baseUrl: url, token: accessToken }).request('GET /auth/me');
  await storeProfile(context, { accessToken });
  context.output.note(`Signed in to ${url} as ${email}`);
};
