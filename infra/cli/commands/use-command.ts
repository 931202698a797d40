/** `bms use`: which service and organization the following commands are about. */
import type { Command } from 'commander';
import { badInput } from '../base/cli-failure.ts';
import { collectAll } from '../base/collect-all.ts';
import { defineCommand } from '../base/define-command.ts';
import { forgetValues } from '../completion/complete-values.ts';
import { type Profile, urlOf } from '../config/config-file.ts';
import { matchOrganization } from '../config/open-session.ts';
import { unknownProfile } from '../config/settings.ts';
import type { Action } from '../context/context.ts';
import { mustChooseOrganization } from '../context/store-profile.ts';

export const addUseCommand = (program: Command, action: Action): void => {
  defineCommand(program, {
    name: 'use [name]',
    summary: 'Switch to another profile or organization; without a name, list the profiles',
    description:
      'A profile is a sign-in with its address and organization: bms login --profile <name> makes one. --profile <name>, or BMS_PROFILE, uses one for a single command.',
    examples: ['bms use', 'bms use acme', 'bms use "Analytical Engines"', 'bms status --profile acme'],
  }).action(
    action(async (context, _, [wanted]) => {
      const { config, output } = context;
      const stored = config.read();
      if (wanted === undefined) {
        output.list(
          Object.keys(stored.profiles).map((name) => ({
            name,
            url: urlOf(stored, name),
            ...shownOf(stored.profiles[name]),
            current: name === stored.current,
          })),
          {
            columns: [
              { title: '', value: ({ current }) => (current ? '*' : ' ') },
              { title: 'PROFILE', value: ({ name }) => name },
              { title: 'ADDRESS', value: ({ url }) => url, flexible: true },
              { title: 'ORGANIZATION', value: ({ organizationId }) => organizationId ?? 'none chosen' },
              { title: 'SIGNED IN WITH', value: ({ credentials }) => credentials },
            ],
            idOf: ({ name }) => name,
            empty: 'No profiles yet: bms login --url https://…',
          },
        );
        return;
      }
      if (stored.profiles[wanted]) {
        await config.update((current) => ({ ...current, current: wanted }));
        forgetValues(context.environment.env);
        output.result({ profile: wanted, url: urlOf(stored, wanted) }, wanted, `Using ${wanted} (${urlOf(stored, wanted)})`);
        return;
      }
      if (stored.current === undefined) throw badInput(unknownProfile(stored, wanted));
      const found = await collectAll(context.session().anywhere.list('GET /organizations'));
      const organization = matchOrganization(found, wanted);
      await mustChooseOrganization(context, organization.id);
      output.result(organization, organization.id, `Using ${organization.name} (${organization.id})`);
    }),
  );
};

const shownOf = (profile: Profile | undefined) => ({
  organizationId: profile?.organizationId ?? null,
  credentials: profile?.apiKey === undefined ? 'a session' : 'an API key',
});
