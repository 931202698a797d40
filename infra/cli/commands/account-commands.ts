/** `bms logout`, `bms whoami`. */
import type { Command } from 'commander';
import { ApiFailure, type Client, NetworkFailure } from '../../../shared/client/index.ts';
import { defineCommand } from '../base/define-command.ts';
import type { Action } from '../context/context.ts';

export const addAccountCommands = (program: Command, action: Action): void => {
  defineCommand(program, {
    name: 'logout',
    summary: 'End the session and delete its credentials',
    examples: ['bms logout', 'bms logout --url https://backups.example.com'],
  }).action(
    action(async ({ settings, session, config, output }) => {
      const { url, profile: name } = settings();
      const profile = config.read().profiles[name];
      const isEnded = profile?.accessToken === undefined || (await endSession(session().anywhere));
      await config.update(({ profiles: { [name]: _, ...profiles }, ...rest }) => ({ ...rest, profiles }));
      if (!isEnded) output.warn(`${url} does not respond: the session stays valid until it expires`);
      output.note(profile ? `Signed out of ${url}` : `Not signed in to ${url}`);
    }),
  );

  defineCommand(program, {
    name: 'whoami',
    summary: 'Show the signed-in user, the service and the organization',
    examples: ['bms whoami', 'bms whoami --json'],
  }).action(
    action(async ({ settings, session, config, output }) => {
      const { url, credentials, profile } = settings();
      const { anywhere, organizationId } = session();
      const key = credentials.from === 'environment' ? credentials.apiKey : config.read().profiles[profile]?.apiKey;
      if (key !== undefined) {
        const id = await organizationId();
        const isServiceAccount = key.startsWith('fb_sa_');
        const type = isServiceAccount ? 'service_account' : 'api_key';
        return output.show({ url, type, organizationId: id ?? null }, url, [
          ['Service', url],
          ['Signed in as', isServiceAccount ? 'a service account' : 'an API key'],
          ['Organization', id ?? 'that of the key'],
        ]);
      }
      const user = await anywhere.request('GET /auth/me');
      const id = await organizationId();
      const organization = user.organizations.find((one) => one.id === id);
      output.show({ url, type: 'user', organizationId: id ?? null, ...user }, user.email, [
        ['Service', url],
        ['Signed in as', `${user.name} <${user.email}>`],
        ['Organization', organization ? `${organization.name} (${organization.id}), ${organization.role}` : 'none chosen'],
      ]);
    }),
  );
};

/** False if the service does not respond. The stored credentials are deleted in any case. */
const endSession = async (client: Client): Promise<boolean> => {
  try {
    await client.request('POST /auth/logout');
  } catch (error) {
    if (error instanceof NetworkFailure) return false;
    // 401: the session has ended already.
    if (!(error instanceof ApiFailure && error.status === 401)) throw error;
  }
  return true;
};
